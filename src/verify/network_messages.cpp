// Messages of blocks: how they are matched, what they must be, and what their completion does.
#include "collectives/relative_rank.hpp"
#include "verify/network.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {

void SymbolicNetwork::match(std::int32_t send, std::int32_t receive) {
  Posted& message = posted_[static_cast<std::size_t>(send)];
  Posted& target = posted_[static_cast<std::size_t>(receive)];
  check_message(message, target);
  target.matched = true;
  target.is_ended = message.kind == Action::Kind::end;
  target.values = message.values;
  events_.push_back(target.event);
  if (sends_ == Sends::synchronous) {
    events_.push_back(message.event);
    message.matched = true;
  } else if (message.matched) {
    free_posted_.push_back(send);  // was complete before, and its ticket may be in use again
  } else {
    message.matched = true;
  }
}

void SymbolicNetwork::check_message(const Posted& send, const Posted& receive) {
  const Participant& from = participants_[send.event.participant];
  const Participant& to = participants_[receive.event.participant];
  if (from.call != to.call) {
    throw Violation(Fault::wrong_call, rank_text(to.rank) + " receives " +
                                           to.memory.text(receive.cells) + " of call " +
                                           std::to_string(to.call) + " from " +
                                           rank_text(from.rank) + " but gets a message of call " +
                                           std::to_string(from.call) + ", which has the same tag");
  }
  if (send.kind == Action::Kind::end && receive.may_end) return;
  const std::string misfit = to.memory.misfit(receive.cells, send.values);
  if (!misfit.empty() || send.round != receive.round ||
      send.carries_sizes != receive.carries_sizes) {
    throw Violation(Fault::mismatch, rank_text(to.rank) + " receives " + text(receive) + " from " +
                                         rank_text(from.rank) + where(receive) + " but " +
                                         rank_text(from.rank) + " sends " + text(send) +
                                         where(send) + (misfit.empty() ? "" : ": " + misfit));
  }
  if (receive.carries_sizes) return;
  for (const Value value : send.values) {
    if (to.memory.knew_size(value.piece, receive.time)) continue;
    throw Violation(Fault::size_unknown, rank_text(to.rank) + " posts a receive of " +
                                             to.memory.text(value) + where(receive) +
                                             " when it does not know its size");
  }
}

void SymbolicNetwork::finish(const Event& event) {
  Participant& who = participants_[event.participant];
  const std::int32_t index = who.posted[event.ticket];
  Posted& what = posted_[static_cast<std::size_t>(index)];
  auto& uses = uses_[event.participant];
  const auto stop_reading = [&](std::span<const Cell> cells) {
    for (const Cell cell : cells) --uses[static_cast<std::size_t>(cell)].readers;
  };
  switch (what.kind) {
    case Action::Kind::end:
    case Action::Kind::send:
      stop_reading(what.cells);
      if (what.matched) {
        release(index);
      } else {
        what.matched = true;  // complete, but still to be received
        who.posted[event.ticket] = nothing;
      }
      break;
    case Action::Kind::receive_control: {
      const auto control = std::move(what.control);
      const std::int32_t peer = relative_rank(what.peer, who.root, ranks_);
      release(index);
      who.execution->control_received(event.ticket, peer, control);
      return;
    }
    case Action::Kind::send_control:
    case Action::Kind::wait:
      release(index);
      break;
    case Action::Kind::receive:
    case Action::Kind::copy:
      if (what.is_ended) {
        for (const Cell cell : what.cells) uses[static_cast<std::size_t>(cell)].writer = false;
        release(index);
        who.execution->ended(event.ticket);
        return;
      }
      stop_reading(what.sources);
      store(who, what);
      release(index);
      break;
    case Action::Kind::receive_bounce:
      for (const Value value : what.values) who.memory.learn_size(value.piece, time_);
      break;  // kept until combined
    case Action::Kind::reduce_local:
      store(who, what);
      release(index);
      break;
  }
  who.execution->complete(event.ticket);
}

void SymbolicNetwork::begin_reading(Participant& who, const Posted& what,
                                    std::span<const Cell> cells) {
  auto& uses = uses_[what.event.participant];
  for (const Cell cell : cells) {
    Use& use = uses[static_cast<std::size_t>(cell)];
    if (use.writer || !who.memory.value(cell).defined()) {
      const Cell one[1] = {cell};
      throw Violation(
          Fault::not_held,
          rank_text(who.rank) + " reads " + who.memory.text(one) + where(what) +
              (use.writer ? " while it is still being written" : " before it is there"));
    }
    ++use.readers;
  }
}

void SymbolicNetwork::begin_writing(Participant& who, const Posted& what) {
  auto& uses = uses_[what.event.participant];
  for (const Cell cell : what.cells) {
    Use& use = uses[static_cast<std::size_t>(cell)];
    if (use.writer || use.readers > 0 || who.memory.is_input(cell)) {
      const Cell one[1] = {cell};
      throw Violation(Fault::overwritten,
                      rank_text(who.rank) + " overwrites " + who.memory.text(one) + where(what) +
                          (use.writer        ? " while it is being written already"
                           : use.readers > 0 ? " while it is still being read"
                                             : ", which belongs to the caller"));
    }
    use.writer = true;
  }
}

// What will be there once the combining is complete.
void SymbolicNetwork::combine(Participant& who, Posted& what) {
  for (std::size_t i = 0; i < what.cells.size(); ++i) {
    what.values[i] = who.memory.combined(what.cells[i], what.values[i], what.order, where(what));
  }
}

void SymbolicNetwork::store(Participant& who, const Posted& what) {
  auto& uses = uses_[what.event.participant];
  for (std::size_t i = 0; i < what.cells.size(); ++i) {
    who.memory.set(what.cells[i], what.values[i]);
    who.memory.learn_size(what.values[i].piece, time_);
    uses[static_cast<std::size_t>(what.cells[i])].writer = false;
  }
}

std::string SymbolicNetwork::text(const Posted& what) const {
  return participants_[what.event.participant].memory.text(what.cells) +
         (what.carries_sizes ? " and their sizes" : "");
}

std::string SymbolicNetwork::where(const Posted& what) const {
  return " in round " + std::to_string(what.round);
}

}  // namespace anabranch::verify
