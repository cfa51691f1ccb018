#include "execution/forwarding_queue.hpp"

#include <algorithm>

namespace anabranch {
namespace {

constexpr std::int32_t max_paced = 2;

}  // namespace

void ForwardingQueue::add(std::int32_t peer, std::int32_t first, std::int32_t peer_window,
                          bool is_paced, bool is_near) {
  forwarding_.push_back({peer, first, 0, peer_window, 0, false, is_paced, is_near});
}

std::int32_t ForwardingQueue::stop(std::int32_t peer) {
  for (std::size_t i = first_; i < forwarding_.size(); ++i) {
    Forwarding& forwarding = forwarding_[i];
    if (forwarding.peer != peer || forwarding.stopped) continue;
    forwarding.stopped = true;
    // One for each receive that the peer has posted or will post before it knows.
    forwarding.ends = std::min(forwarding.peer_window, blocks_ - forwarding.next);
    return forwarding.next;
  }
  return blocks_;  // all was passed
}

std::int32_t ForwardingQueue::under_way_to(std::int32_t peer) const {
  for (std::size_t i = first_; i < forwarding_.size(); ++i) {
    if (forwarding_[i].peer == peer && !forwarding_[i].stopped) return forwarding_[i].under_way;
  }
  return 0;
}

// With ranks that arrived together, the one that came later may be here first, with more to come.
std::optional<std::size_t> ForwardingQueue::most_advanced(bool is_near) const {
  std::optional<std::size_t> found;
  for (std::size_t i = first_; i < forwarding_.size(); ++i) {
    if (is_through(forwarding_[i]) || forwarding_[i].is_near != is_near) continue;
    if (!found || forwarding_[i].next > forwarding_[*found].next) found = i;
  }
  return found;
}

std::optional<ForwardingQueue::Message> ForwardingQueue::next(std::int32_t prefix) {
  for (const bool is_near : {true, false}) {
    const auto place = most_advanced(is_near);
    if (!place) continue;
    if (auto message = next_of(*place, prefix)) return message;
  }
  return {};
}

std::optional<ForwardingQueue::Message> ForwardingQueue::next_of(std::size_t place,
                                                                 std::int32_t prefix) {
  Forwarding& forwarding = forwarding_[place];
  const std::int32_t most = forwarding.is_paced ? std::min(max_sends_, max_paced) : max_sends_;
  if (forwarding.under_way >= most) return {};
  Message message = {.forwarding = static_cast<std::uint32_t>(place), .peer = forwarding.peer};
  if (forwarding.ends > 0) {
    --forwarding.ends;
    message.block = forwarding.next;
    message.is_end = true;
  } else if (!forwarding.stopped && forwarding.next < prefix) {
    message.block = forwarding.next++;
    message.is_synchronous = forwarding.is_paced && forwarding.next % pace == 0;
  } else {
    return {};
  }
  ++forwarding.under_way;
  return message;
}

bool ForwardingQueue::is_through(const Forwarding& forwarding) const {
  return forwarding.under_way == 0 && forwarding.ends == 0 &&
         (forwarding.stopped || forwarding.next == blocks_);
}

void ForwardingQueue::drop_those_through() {
  while (any() && is_through(forwarding_[first_])) ++first_;
}

void ForwardingQueue::describe_state(std::vector<std::int32_t>& state) const {
  state.push_back(static_cast<std::int32_t>(forwarding_.size() - first_));
  for (std::size_t i = first_; i < forwarding_.size(); ++i) {
    const Forwarding& forwarding = forwarding_[i];
    state.insert(state.end(), {forwarding.peer, forwarding.next, forwarding.under_way,
                               forwarding.ends, forwarding.stopped});
  }
}

}  // namespace anabranch
