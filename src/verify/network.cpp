#include "verify/network.hpp"

#include <algorithm>
#include <functional>

#include "collectives/relative_rank.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

std::string rank_text(std::int32_t rank) { return "rank " + std::to_string(rank); }

}  // namespace

SymbolicNetwork::SymbolicNetwork(std::int32_t ranks, Sends sends, std::int32_t in_flight)
    : ranks_(ranks),
      sends_(sends),
      in_flight_(in_flight),
      rank_states_(static_cast<std::size_t>(ranks)),
      channels_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)) {}

SymbolicNetwork::Participant::Participant(std::int32_t of_rank, std::int32_t in_operation,
                                          std::int32_t with_root, std::unique_ptr<Execution> runs,
                                          Memory holds)
    : rank(of_rank),
      operation(in_operation),
      root(with_root),
      execution(std::move(runs)),
      memory(std::move(holds)) {}

SymbolicNetwork::Participant::Participant(const Participant& other)
    : rank(other.rank),
      operation(other.operation),
      root(other.root),
      execution(other.execution->clone()),
      memory(other.memory),
      started(other.started),
      finished(other.finished),
      poll_is_due(other.poll_is_due),
      posted(other.posted) {}

void SymbolicNetwork::join(std::int32_t rank, std::int32_t operation, std::int32_t root,
                           std::unique_ptr<Execution> execution, Memory memory) {
  rank_states_[static_cast<std::size_t>(rank)].participants.push_back(
      static_cast<std::uint32_t>(participants_.size()));
  uses_.emplace_back(memory.cells());
  participants_.emplace_back(rank, operation, root, std::move(execution), std::move(memory));
}

SymbolicNetwork::Channel& SymbolicNetwork::channel(std::int32_t src, std::int32_t dst) {
  return channels_[static_cast<std::size_t>(src) * static_cast<std::size_t>(ranks_) +
                   static_cast<std::size_t>(dst)];
}

void SymbolicNetwork::begin() {
  for (std::int32_t rank = 0; rank < ranks_; ++rank) offer_starts(rank);
}

void SymbolicNetwork::run(Order& order) {
  begin();
  while (!open_events().empty()) step(order.pick(open_events()), order);
  end();
}

void SymbolicNetwork::step(std::size_t event, Order& order) {
  order_ = &order;
  const std::size_t picked = first_event_ + event;
  const Event happening = events_[picked];
  remove_event(picked);
  ++time_;
  happen(happening);
}

void SymbolicNetwork::remove_event(std::size_t index) {
  if (index + 1 == events_.size()) {
    events_.pop_back();
  } else {
    events_[index] = events_[first_event_++];
  }
  if (first_event_ > 1024 && first_event_ * 2 > events_.size()) {
    events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(first_event_));
    first_event_ = 0;
  }
}

void SymbolicNetwork::end() const {
  if (!std::ranges::all_of(participants_, &Participant::finished)) report_standstill();
  report_leftovers();
  report_unheard();
  for (const Participant& who : participants_) who.memory.check_result();
}

void SymbolicNetwork::offer_starts(std::int32_t rank) {
  RankState& state = rank_states_[static_cast<std::size_t>(rank)];
  const auto& own = state.participants;
  while (state.over < own.size() && participants_[own[state.over]].finished) ++state.over;
  const std::size_t end = std::min(own.size(), state.over + static_cast<std::size_t>(in_flight_));
  for (; state.begun < end; ++state.begun) {
    events_.push_back({Event::Kind::start, rank, own[state.begun], 0, 0, 0});
  }
}

void SymbolicNetwork::happen(const Event& event) {
  Participant& who = participants_[event.participant];
  switch (event.kind) {
    case Event::Kind::start:
      who.started = true;
      poll(event.participant);
      break;
    case Event::Kind::poll:
      who.poll_is_due = false;
      poll(event.participant);
      break;
    case Event::Kind::deliver:
      deliver(event);
      return;
    default:
      if (who.finished) return;  // a wait that nobody needs any more
      finish(event);
      if (order_->puts_off_poll()) {
        if (!who.poll_is_due) {
          who.poll_is_due = true;
          events_.push_back({Event::Kind::poll, event.rank, event.participant, 0, 0, 0});
        }
      } else {
        poll(event.participant);
      }
  }
  if (!who.finished && who.execution->done()) {
    who.finished = true;
    offer_starts(who.rank);
  }
}

void SymbolicNetwork::poll(std::uint32_t participant) {
  Action action;
  while (participants_[participant].execution->next(action)) perform(participant, action);
}

void SymbolicNetwork::perform(std::uint32_t participant, const Action& action) {
  Participant& who = participants_[participant];
  const std::int32_t index = take_posted(participant, action);
  Posted& what = posted_[static_cast<std::size_t>(index)];
  switch (action.kind) {
    case Action::Kind::send: {
      begin_reading(who, what, what.cells);
      for (const Cell cell : what.cells) what.values.push_back(who.memory.value(cell));
      Channel& to = channel(who.rank, what.peer);
      const std::int32_t receive = take_first(to.receives, what.tag);
      if (sends_ == Sends::eager) events_.push_back(what.event);
      if (receive == nothing) {
        push(to.sends, index);
      } else {
        match(index, receive);
      }
      break;
    }
    case Action::Kind::end: {
      Channel& to = channel(who.rank, what.peer);
      const std::int32_t receive = take_first(to.receives, what.tag);
      if (sends_ == Sends::eager) events_.push_back(what.event);
      if (receive == nothing) {
        push(to.sends, index);
      } else {
        match(index, receive);
      }
      break;
    }
    case Action::Kind::tell:
      post_letter(who, action);
      events_.push_back(what.event);
      break;
    case Action::Kind::hear:
      post_hear(who, index);
      break;
    case Action::Kind::wait:
      events_.push_back(what.event);
      break;
    case Action::Kind::receive:
      begin_writing(who, what);
      [[fallthrough]];
    case Action::Kind::receive_temporary: {
      Channel& from = channel(what.peer, who.rank);
      const std::int32_t send = take_first(from.sends, what.tag);
      if (send == nothing) {
        push(from.receives, index);
      } else {
        match(send, index);
      }
      break;
    }
    case Action::Kind::combine:
      begin_writing(who, what);
      combine(who, what);
      events_.push_back(what.event);
      break;
    case Action::Kind::copy:
      begin_reading(who, what, what.sources);
      begin_writing(who, what);
      for (const Cell cell : what.sources) what.values.push_back(who.memory.value(cell));
      events_.push_back(what.event);
      break;
  }
}

std::int32_t SymbolicNetwork::take_posted(std::uint32_t participant, const Action& action) {
  Participant& who = participants_[participant];
  if (who.posted.size() <= action.ticket) who.posted.resize(action.ticket + 1, nothing);
  std::int32_t& index = who.posted[action.ticket];
  const bool continues = action.kind == Action::Kind::combine;
  if (continues != (index != nothing)) {
    throw std::logic_error("an execution used a ticket that is not free, or combined nothing");
  }
  if (!continues && !free_posted_.empty()) {
    index = free_posted_.back();
    free_posted_.pop_back();
  } else if (!continues) {
    index = static_cast<std::int32_t>(posted_.size());
    posted_.emplace_back();
  }
  constexpr Event::Kind kinds[9] = {
      Event::Kind::send,    Event::Kind::receive, Event::Kind::receive,
      Event::Kind::combine, Event::Kind::copy,    Event::Kind::send,
      Event::Kind::tell,    Event::Kind::hear,    Event::Kind::time};
  Posted& what = posted_[static_cast<std::size_t>(index)];
  what.kind = action.kind;
  what.order = action.order;
  what.carries_sizes = action.carries_sizes;
  what.may_end = action.may_end;
  what.is_ended = false;
  what.matched = false;
  what.tag = action.tag;
  what.round = action.round;
  what.time = time_;
  what.next = nothing;
  what.event = {kinds[static_cast<std::size_t>(action.kind)],
                who.rank,
                participant,
                action.ticket,
                action.operation,
                action.iteration};
  what.cells.clear();
  who.memory.expand(action.parts, action.block_shift, what.cells);
  what.sources.clear();
  if (action.kind == Action::Kind::copy) {
    who.memory.expand(action.sources, 0, what.sources);
    if (what.sources.size() != what.cells.size()) {
      throw Violation(Fault::malformed, rank_text(who.rank) + " copies " +
                                            who.memory.text(what.sources) + " to " +
                                            who.memory.text(what.cells) + where(what));
    }
  }
  if (!continues) what.values.clear();
  what.peer = nothing;
  const bool has_peer = action.kind != Action::Kind::copy && action.kind != Action::Kind::wait &&
                        !(action.kind == Action::Kind::hear && action.peer == Action::anybody);
  if (has_peer) {
    if (action.peer < 0 || action.peer >= ranks_) {
      throw Violation(Fault::peer, rank_text(who.rank) + " has relative rank " +
                                       std::to_string(action.peer) + " as a peer");
    }
    what.peer = absolute_rank(action.peer, who.root, ranks_);
  }
  return index;
}

void SymbolicNetwork::release(std::int32_t index) {
  const Event& event = posted_[static_cast<std::size_t>(index)].event;
  participants_[event.participant].posted[event.ticket] = nothing;
  free_posted_.push_back(index);
}

void SymbolicNetwork::push(List& list, std::int32_t index) {
  if (list.first == nothing) {
    list.first = index;
  } else {
    posted_[static_cast<std::size_t>(list.last)].next = index;
  }
  list.last = index;
}

std::int32_t SymbolicNetwork::take_first(List& list, std::int32_t tag) {
  std::int32_t before = nothing;
  for (std::int32_t index = list.first; index != nothing;
       before = index, index = posted_[static_cast<std::size_t>(index)].next) {
    const Posted& what = posted_[static_cast<std::size_t>(index)];
    if (what.tag != tag) continue;
    if (before == nothing) {
      list.first = what.next;
    } else {
      posted_[static_cast<std::size_t>(before)].next = what.next;
    }
    if (list.last == index) list.last = before;
    return index;
  }
  return nothing;
}

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
  if (from.operation != to.operation) {
    throw Violation(Fault::wrong_operation,
                    rank_text(to.rank) + " receives " + to.memory.text(receive.cells) +
                        " of operation " + std::to_string(to.operation) + " from " +
                        rank_text(from.rank) + " but gets a message of operation " +
                        std::to_string(from.operation) + ", which has the same tag");
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
    case Action::Kind::hear: {
      const auto words = std::move(what.words);
      const std::int32_t peer = relative_rank(what.peer, who.root, ranks_);
      release(index);
      who.execution->heard(event.ticket, peer, words);
      return;
    }
    case Action::Kind::tell:
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
    case Action::Kind::receive_temporary:
      for (const Value value : what.values) who.memory.learn_size(value.piece, time_);
      break;  // kept until combined
    case Action::Kind::combine:
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

// Looks for ranks that wait for each other in a circle; else names one that waits in vain.
void SymbolicNetwork::report_standstill() const {
  std::vector<std::vector<const Posted*>> waits(static_cast<std::size_t>(ranks_));
  for (const Participant& who : participants_) {
    for (const std::int32_t index : who.posted) {
      if (index == nothing || posted_[static_cast<std::size_t>(index)].matched) continue;
      if (posted_[static_cast<std::size_t>(index)].peer == nothing) continue;  // hears from anybody
      waits[static_cast<std::size_t>(who.rank)].push_back(
          &posted_[static_cast<std::size_t>(index)]);
    }
  }
  std::vector<bool> seen(waits.size());
  std::vector<const Posted*> path;
  const auto sentence_of = [&](std::size_t first) {
    std::string sentence;
    for (std::size_t i = first; i < path.size(); ++i) {
      const Posted& what = *path[i];
      const bool sends = what.kind == Action::Kind::send;
      sentence += (i == first ? "" : ", ") + rank_text(what.event.rank) + " waits for " +
                  rank_text(what.peer) + (sends ? " to receive " : " to send ") + text(what) +
                  where(what);
    }
    return sentence;
  };
  const std::function<void(std::int32_t)> follow = [&](std::int32_t rank) {
    seen[static_cast<std::size_t>(rank)] = true;
    for (const Posted* what : waits[static_cast<std::size_t>(rank)]) {
      path.push_back(what);
      for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i]->event.rank == what->peer) {
          throw Violation(Fault::deadlock, "deadlock: " + sentence_of(i));
        }
      }
      if (!seen[static_cast<std::size_t>(what->peer)]) follow(what->peer);
      path.pop_back();
    }
  };
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    if (!seen[static_cast<std::size_t>(rank)]) follow(rank);
  }
  for (const auto& some : waits) {
    if (!some.empty()) path.assign(1, some.front());
  }
  throw Violation(Fault::deadlock, path.empty()
                                       ? "standstill: nobody waits for a message but nobody goes on"
                                       : "standstill: " + sentence_of(0) + ", in vain");
}

void SymbolicNetwork::report_leftovers() const {
  for (const Channel& some : channels_) {
    if (some.sends.first == nothing) continue;
    const Posted& what = posted_[static_cast<std::size_t>(some.sends.first)];
    throw Violation(Fault::never_received, rank_text(what.event.rank) + " sends " + text(what) +
                                               " to " + rank_text(what.peer) + where(what) +
                                               ", which is never received");
  }
}

}  // namespace anabranch::verify
