// Control messages between ranks.
#include <algorithm>

#include "collectives/relative_rank.hpp"
#include "execution/tags.hpp"
#include "verify/network.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {

void SymbolicNetwork::post_control(Participant& who, const Action& action) {
  const std::int32_t dst = absolute_rank(action.peer, who.root, ranks_);
  channel(who.rank, dst)
      .in_flight.push_back(
          {who.call, who.rank, action.tag, {action.control.begin(), action.control.end()}});
  const auto src = static_cast<std::uint32_t>(who.rank);
  events_.push_back({Event::Kind::deliver, dst, 0, 0, src, 0});
}

// Control messages that came when the participant was about to finish.
std::int32_t SymbolicNetwork::unreceived_control_of(const Participant& who) const {
  return static_cast<std::int32_t>(std::ranges::count_if(who.posted, [&](std::int32_t index) {
    if (index == nothing) return false;
    const Posted& what = posted_[static_cast<std::size_t>(index)];
    return what.kind == Action::Kind::receive_control && what.matched;
  }));
}

bool SymbolicNetwork::receives_control(std::int32_t index, const ControlMessage& message) const {
  const Posted& what = posted_[static_cast<std::size_t>(index)];
  return what.tag == message.tag && (what.peer == nothing || what.peer == message.src);
}

void SymbolicNetwork::take_control_message(std::int32_t index, const ControlMessage& message) {
  Posted& what = posted_[static_cast<std::size_t>(index)];
  const Participant& who = participants_[what.event.participant];
  if (who.call != message.call) {
    throw Violation(Fault::wrong_call,
                    rank_text(who.rank) + " receives control in call " + std::to_string(who.call) +
                        " what rank " + std::to_string(message.src) + " sent in call " +
                        std::to_string(message.call) + ", which has the same tag");
  }
  what.matched = true;
  what.peer = message.src;
  what.control = message.control;
  events_.push_back(what.event);
}

void SymbolicNetwork::post_receive_control(const Participant& who, std::int32_t index) {
  RankState& state = rank_states_[static_cast<std::size_t>(who.rank)];
  const auto fitting = std::ranges::find_if(
      state.inbox, [&](const ControlMessage& message) { return receives_control(index, message); });
  if (fitting == state.inbox.end()) {
    state.posted.push_back(index);
    return;
  }
  take_control_message(index, *fitting);
  state.inbox.erase(fitting);
}

void SymbolicNetwork::deliver(const Event& event) {
  auto& in_flight = channel(static_cast<std::int32_t>(event.operation), event.rank).in_flight;
  const ControlMessage message = std::move(in_flight.front());
  in_flight.erase(in_flight.begin());
  RankState& state = rank_states_[static_cast<std::size_t>(event.rank)];
  const auto fitting = std::ranges::find_if(
      state.posted, [&](std::int32_t index) { return receives_control(index, message); });
  if (fitting == state.posted.end()) {
    state.inbox.push_back(message);
    return;
  }
  take_control_message(*fitting, message);
  state.posted.erase(fitting);
}

}  // namespace anabranch::verify
