#include "execution/passings.hpp"

#include <algorithm>

namespace anabranch {
namespace {

constexpr std::int32_t most_paced = 2;

}  // namespace

void Passings::add(std::int32_t peer, std::int32_t first, std::int32_t peer_window,
                   bool has_arrived) {
  passings_.push_back({peer, first, 0, peer_window, 0, false, has_arrived});
}

std::int32_t Passings::stop(std::int32_t peer) {
  for (std::size_t i = first_; i < passings_.size(); ++i) {
    Passing& passing = passings_[i];
    if (passing.peer != peer || passing.stopped) continue;
    passing.stopped = true;
    // One for each receive that the peer has posted or will post before it knows.
    passing.ends = std::min(passing.peer_window, blocks_ - passing.next);
    return passing.next;
  }
  return blocks_;  // all was passed
}

std::int32_t Passings::under_way_to(std::int32_t peer) const {
  for (std::size_t i = first_; i < passings_.size(); ++i) {
    if (passings_[i].peer == peer && !passings_[i].stopped) return passings_[i].under_way;
  }
  return 0;
}

std::optional<Passings::Message> Passings::next(std::int32_t prefix) {
  if (!any()) return {};
  Passing& passing = passings_[first_];
  const std::int32_t most = passing.has_arrived ? std::min(most_sends_, most_paced) : most_sends_;
  if (passing.under_way >= most) return {};
  Message message = {.passing = static_cast<std::uint32_t>(first_), .peer = passing.peer};
  if (passing.ends > 0) {
    --passing.ends;
    message.block = passing.next;
    message.is_end = true;
  } else if (!passing.stopped && passing.next < prefix) {
    message.block = passing.next++;
    message.is_synchronous = passing.has_arrived && passing.next % pace == 0;
  } else {
    return {};
  }
  ++passing.under_way;
  return message;
}

bool Passings::is_through(const Passing& passing) const {
  return passing.under_way == 0 && passing.ends == 0 &&
         (passing.stopped || passing.next == blocks_);
}

void Passings::drop_those_through() {
  while (any() && is_through(passings_[first_])) ++first_;
}

void Passings::describe_state(std::vector<std::int32_t>& state) const {
  state.push_back(static_cast<std::int32_t>(passings_.size() - first_));
  for (std::size_t i = first_; i < passings_.size(); ++i) {
    const Passing& passing = passings_[i];
    state.insert(state.end(),
                 {passing.peer, passing.next, passing.under_way, passing.ends, passing.stopped});
  }
}

}  // namespace anabranch
