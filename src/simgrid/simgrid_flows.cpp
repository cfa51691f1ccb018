#include "simgrid/simgrid_flows.hpp"

#include <cmath>
#include <memory>
#include <utility>

namespace anabranch {

namespace s4u = simgrid::s4u;

SimgridFlows::SimgridFlows(std::vector<s4u::Host*> host_of_rank)
    : hosts_(std::move(host_of_rank)), senders_(2 * hosts_.size()) {}

SimgridFlows::~SimgridFlows() {
  for (const auto& sender : senders_) {
    if (sender == nullptr) continue;
    sender->is_over = true;
    sender->has_jobs->release();
  }
  s4u::this_actor::yield();  // they end before what they refer to
}

SimgridFlows::Sender& SimgridFlows::sender(std::int32_t rank, bool is_within_node) {
  const auto index = static_cast<std::size_t>(rank);
  auto& found = senders_[2 * index + (is_within_node ? 1 : 0)];
  if (found == nullptr) {
    found = std::make_unique<Sender>();
    found->has_jobs = s4u::Semaphore::create(0);
    s4u::Actor::create("sender", hosts_[index],
                       [this, mine = found.get(), host = hosts_[index]] { serve(*mine, host); });
  }
  return *found;
}

void SimgridFlows::serve(Sender& mine, s4u::Host* host) {
  while (true) {
    mine.has_jobs->acquire();
    if (mine.is_over) return;
    const Job job = mine.jobs.pop();
    s4u::Comm::sendto(host, hosts_[static_cast<std::size_t>(job.dst)],
                      static_cast<std::uint64_t>(job.size_bytes));
    ended_.push_back(job.message);
    if (ended_.size() == 1) has_ended_->release();
  }
}

void SimgridFlows::start(Index message, std::int32_t src, std::int32_t dst,
                         std::int64_t size_bytes) {
  const bool is_within_node =
      hosts_[static_cast<std::size_t>(src)] == hosts_[static_cast<std::size_t>(dst)];
  Sender& by = sender(src, is_within_node);
  by.jobs.push({message, dst, size_bytes});
  by.has_jobs->release();
}

double SimgridFlows::advance(double until_s, std::vector<Index>& ended) {
  const double now = s4u::Engine::get_clock() - begin_s_;
  if (until_s <= now) return until_s;
  if (std::isinf(until_s)) {
    has_ended_->acquire();
  } else if (has_ended_->acquire_timeout(until_s - now)) {
    return until_s;
  }
  s4u::this_actor::yield();  // others may end at the same moment
  std::swap(ended, ended_);
  ended_.clear();
  return s4u::Engine::get_clock() - begin_s_;
}

}  // namespace anabranch
