#include "verify/network.hpp"

#include <algorithm>

#include "collectives/relative_rank.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {

SymbolicNetwork::SymbolicNetwork(std::int32_t ranks, Sends sends, std::int32_t in_flight)
    : ranks_(ranks),
      sends_(sends),
      in_flight_(in_flight),
      rank_states_(static_cast<std::size_t>(ranks)),
      channels_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)) {}

SymbolicNetwork::Participant::Participant(std::int32_t of_rank, std::int32_t in_call,
                                          std::int32_t with_root, std::unique_ptr<Execution> runs,
                                          Memory holds)
    : rank(of_rank),
      call(in_call),
      root(with_root),
      execution(std::move(runs)),
      memory(std::move(holds)) {}

SymbolicNetwork::Participant::Participant(const Participant& other)
    : rank(other.rank),
      call(other.call),
      root(other.root),
      execution(other.execution->clone()),
      memory(other.memory),
      started(other.started),
      finished(other.finished),
      poll_is_due(other.poll_is_due),
      posted(other.posted) {}

void SymbolicNetwork::join(std::int32_t rank, std::int32_t call, std::int32_t root,
                           std::unique_ptr<Execution> execution, Memory memory) {
  rank_states_[static_cast<std::size_t>(rank)].participants.push_back(
      static_cast<std::uint32_t>(participants_.size()));
  uses_.emplace_back(memory.cells());
  participants_.emplace_back(rank, call, root, std::move(execution), std::move(memory));
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
  if (!std::ranges::all_of(participants_, &Participant::finished)) report_deadlock();
  report_leftovers();
  report_unreceived_control();
  report_disagreement();
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
    case Action::Kind::send_control:
      post_control(who, action);
      events_.push_back(what.event);
      break;
    case Action::Kind::receive_control:
      post_receive_control(who, index);
      break;
    case Action::Kind::wait:
      events_.push_back(what.event);
      break;
    case Action::Kind::receive:
      begin_writing(who, what);
      [[fallthrough]];
    case Action::Kind::receive_bounce: {
      Channel& from = channel(what.peer, who.rank);
      const std::int32_t send = take_first(from.sends, what.tag);
      if (send == nothing) {
        push(from.receives, index);
      } else {
        match(send, index);
      }
      break;
    }
    case Action::Kind::reduce_local:
      begin_writing(who, what);
      combine(who, what);
      events_.push_back(what.event);
      break;
    case Action::Kind::copy:
      begin_reading(who, what, what.sources);
      begin_writing(who, what);
      for (const Cell cell : what.sources) what.values.push_back(who.memory.value(cell));
      if (action.combines) combine(who, what);
      events_.push_back(what.event);
      break;
  }
}

std::int32_t SymbolicNetwork::take_posted(std::uint32_t participant, const Action& action) {
  Participant& who = participants_[participant];
  if (who.posted.size() <= action.ticket) who.posted.resize(action.ticket + 1, nothing);
  std::int32_t& index = who.posted[action.ticket];
  const bool continues = action.kind == Action::Kind::reduce_local;
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
  constexpr Event::Kind kinds[9] = {Event::Kind::send,         Event::Kind::receive,
                                    Event::Kind::receive,      Event::Kind::reduce_local,
                                    Event::Kind::copy,         Event::Kind::send,
                                    Event::Kind::send_control, Event::Kind::receive_control,
                                    Event::Kind::time};
  Posted& what = posted_[static_cast<std::size_t>(index)];
  what.kind = action.kind;
  what.order = action.combines ? OperandOrder::theirs_first : action.order;
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
  who.memory.expand(action.block_sets, action.block_shift, what.cells);
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
  const bool has_peer =
      action.kind != Action::Kind::copy && action.kind != Action::Kind::wait &&
      !(action.kind == Action::Kind::receive_control && action.peer == Action::anybody);
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

}  // namespace anabranch::verify
