#include "simgrid/simgrid_flows.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "simgrid/zones.hpp"

namespace anabranch {

namespace s4u = simgrid::s4u;

SimgridFlows::SimgridFlows(std::vector<s4u::Host*> host_of_rank,
                           std::vector<std::int32_t> group_of_rank, double copy_rate)
    : hosts_(std::move(host_of_rank)),
      groups_(std::move(group_of_rank)),
      copy_rate_(copy_rate),
      idle_(hosts_.size()) {}

SimgridFlows::~SimgridFlows() {
  for (const auto& sender : senders_) {
    sender->is_over = true;
    sender->has_work->release();
    sender->has_left->release();
  }
  s4u::this_actor::yield();  // they end before what they refer to
}

SimgridFlows::Sender& SimgridFlows::idle_sender(std::int32_t rank) {
  auto& idle = idle_[static_cast<std::size_t>(rank)];
  if (!idle.empty()) {
    Sender& found = *idle.back();
    idle.pop_back();
    return found;
  }
  Sender& made = *senders_.emplace_back(std::make_unique<Sender>());
  made.rank = rank;
  made.mailbox = s4u::Mailbox::by_name(std::to_string(senders_.size()));
  s4u::Host* host = host_of(rank);
  add_actor("sender", host, [this, &made] { send(made); });
  add_actor("receiver", host, [this, &made] { receive(made); });
  return made;
}

// A message from host to host would need no receiver, but SimGrid 3.32 looks through a list of all
// that are under way as each of them ends.
void SimgridFlows::send(Sender& mine) {
  while (true) {
    mine.has_work->acquire();
    if (mine.is_over) return;
    mine.has_left->release();
    const s4u::CommPtr message =
        mine.mailbox->put_init(&mine, static_cast<std::uint64_t>(mine.size_bytes));
    if (host_of(mine.rank) == host_of(mine.dst)) message->set_rate(copy_rate_);
    message->wait();
    idle_[static_cast<std::size_t>(mine.rank)].push_back(&mine);
    ended_.push_back(mine.message);
    if (ended_.size() == 1) has_ended_->release();
  }
}

void SimgridFlows::receive(Sender& mine) {
  while (true) {
    mine.has_left->acquire();
    if (mine.is_over) return;
    s4u::this_actor::set_host(host_of(mine.dst));
    mine.mailbox->get<Sender>();
  }
}

void SimgridFlows::start(Index message, std::int32_t src, std::int32_t dst,
                         std::int64_t size_bytes) {
  const bool is_global =
      groups_[static_cast<std::size_t>(src)] != groups_[static_cast<std::size_t>(dst)];
  if (is_global) global_bytes_ += size_bytes;
  if (host_of(src) != host_of(dst)) network_bytes_ += size_bytes;
  Sender& sender = idle_sender(src);
  sender.message = message;
  sender.dst = dst;
  sender.size_bytes = size_bytes;
  sender.has_work->release();
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
