// What tells the states of a network apart.
#include <algorithm>

#include "verify/network.hpp"

namespace anabranch::verify {

void SymbolicNetwork::describe(const Posted& what, std::vector<std::int32_t>& state) const {
  state.insert(state.end(),
               {static_cast<std::int32_t>(what.kind), what.peer, what.tag, what.matched,
                what.is_ended, static_cast<std::int32_t>(what.cells.size()),
                static_cast<std::int32_t>(what.event.participant)});
  state.insert(state.end(), what.cells.begin(), what.cells.end());
  state.insert(state.end(), what.control.begin(), what.control.end());
}

void SymbolicNetwork::describe(const ControlMessage& message, std::vector<std::int32_t>& state) {
  state.insert(state.end(),
               {message.src, message.tag, static_cast<std::int32_t>(message.control.size())});
  state.insert(state.end(), message.control.begin(), message.control.end());
}

// Of control messages that nobody will receive any more only the number matters.
void SymbolicNetwork::describe_inbox(std::int32_t rank, std::vector<std::int32_t>& state) const {
  const RankState& some = rank_states_[static_cast<std::size_t>(rank)];
  for (const std::uint32_t participant : some.participants) {
    const Participant& who = participants_[participant];
    std::int32_t count = 0;
    for (const ControlMessage& message : some.inbox) {
      if (message.call != who.call) continue;
      ++count;
      if (!who.finished) describe(message, state);
    }
    if (who.finished) count += unreceived_control_of(who);
    state.push_back(count);
  }
}

// Names of tickets and places in lists are left out: they tell nothing.
void SymbolicNetwork::describe_state(std::vector<std::int32_t>& state) const {
  const auto size = [&](std::size_t n) { state.push_back(static_cast<std::int32_t>(n)); };
  for (const Participant& who : participants_) {
    state.insert(state.end(), {who.started, who.finished, who.poll_is_due});
    if (who.finished) state.push_back(who.execution->served_all_together());
    if (!who.started || who.finished) continue;
    who.execution->describe_state(state);
    for (Cell cell = 0; cell < static_cast<Cell>(who.memory.cells()); ++cell) {
      state.push_back(who.memory.value(cell).operands);
    }
    std::vector<std::vector<std::int32_t>> under_way;
    for (const std::int32_t index : who.posted) {
      if (index == nothing) continue;
      under_way.emplace_back();
      describe(posted_[static_cast<std::size_t>(index)], under_way.back());
    }
    std::ranges::sort(under_way);
    size(under_way.size());
    for (const auto& one : under_way) state.insert(state.end(), one.begin(), one.end());
  }
  for (const Channel& some : channels_) {
    for (const List* list : {&some.sends, &some.receives}) {
      state.push_back(nothing);
      for (std::int32_t index = list->first; index != nothing;
           index = posted_[static_cast<std::size_t>(index)].next) {
        describe(posted_[static_cast<std::size_t>(index)], state);
      }
    }
    size(some.in_flight.size());
    for (const ControlMessage& message : some.in_flight) describe(message, state);
  }
  for (std::int32_t rank = 0; rank < ranks_; ++rank) describe_inbox(rank, state);
  std::vector<std::vector<std::int32_t>> open;
  for (const Event& event : open_events()) {
    open.push_back({static_cast<std::int32_t>(event.kind), event.rank,
                    static_cast<std::int32_t>(event.participant),
                    static_cast<std::int32_t>(event.operation), event.iteration});
  }
  std::ranges::sort(open);
  for (const auto& one : open) state.insert(state.end(), one.begin(), one.end());
}

void SymbolicNetwork::describe_finished(std::vector<std::int32_t>& state) const {
  for (const Participant& who : participants_) {
    if (who.finished) who.execution->describe_state(state);
  }
}

}  // namespace anabranch::verify
