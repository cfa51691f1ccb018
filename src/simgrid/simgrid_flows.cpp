#include "simgrid/simgrid_flows.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "simgrid/zones.hpp"

namespace anabranch {

namespace s4u = simgrid::s4u;

SimgridFlows::SimgridFlows(std::vector<s4u::Host*> host_of_rank)
    : hosts_(std::move(host_of_rank)), senders_(2 * hosts_.size()) {}

SimgridFlows::~SimgridFlows() {
  for (const auto& sender : senders_) {
    if (sender == nullptr) continue;
    sender->is_over = true;
    sender->has_jobs->release();
    sender->has_left->release();
  }
  s4u::this_actor::yield();  // they end before what they refer to
}

SimgridFlows::Sender& SimgridFlows::sender(std::int32_t rank, bool is_within_node) {
  const auto index = 2 * static_cast<std::size_t>(rank) + (is_within_node ? 1 : 0);
  auto& found = senders_[index];
  if (found == nullptr) {
    found = std::make_unique<Sender>();
    found->mailbox = s4u::Mailbox::by_name(std::to_string(index));
    s4u::Host* host = hosts_[static_cast<std::size_t>(rank)];
    add_actor("sender", host, [this, mine = found.get()] { send(*mine); });
    add_actor("receiver", host, [this, mine = found.get()] { receive(*mine); });
  }
  return *found;
}

// A message from host to host would need no receiver, but SimGrid 3.32 looks through a list of all
// that are under way as each of them ends.
void SimgridFlows::send(Sender& mine) {
  while (true) {
    mine.has_jobs->acquire();
    if (mine.is_over) return;
    const Job job = mine.jobs.pop();
    mine.dst = job.dst;
    mine.has_left->release();
    mine.mailbox->put(&mine, static_cast<std::uint64_t>(job.size_bytes));
    ended_.push_back(job.message);
    if (ended_.size() == 1) has_ended_->release();
  }
}

void SimgridFlows::receive(Sender& mine) {
  while (true) {
    mine.has_left->acquire();
    if (mine.is_over) return;
    s4u::this_actor::set_host(hosts_[static_cast<std::size_t>(mine.dst)]);
    mine.mailbox->get<Sender>();
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
