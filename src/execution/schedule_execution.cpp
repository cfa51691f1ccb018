#include "execution/schedule_execution.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace anabranch {
namespace {

// How far a send may overtake others. Bounds the work of one look at the queue.
constexpr std::size_t look_ahead = 32;

Window paced(Window window, const Pace& pace) {
  window.receives = std::min(window.receives, pace.max_receives);
  window.sends = std::min(std::max(window.sends, pace.min_sends), pace.max_sends);
  if (pace.is_synchronous) window.synchronous_every = 1;
  return window;
}

}  // namespace

void ScheduleExecution::Queue::advance(std::size_t place, const Schedule& schedule,
                                       const std::vector<Progress>& progress) {
  const auto key = [&](std::uint32_t index) {
    const Operation& operation = schedule.operations[index];
    return std::pair{operation.round_of(progress[index].started), index};
  };
  std::size_t at = cursor_ + place;
  const std::uint32_t moved = entries_[at];
  if (progress[moved].started == schedule.operations[moved].repeat.count) {
    for (; at > cursor_; --at) entries_[at] = entries_[at - 1];
    ++cursor_;
    return;
  }
  // Most move by little; where each goes behind all others, looking at all of them takes long.
  constexpr std::ptrdiff_t near = 8;
  const auto next = entries_.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  const auto comes_before = [&, own = key(moved)](std::uint32_t index) { return key(index) < own; };
  const auto near_end = next + std::min(near, entries_.end() - next);
  auto behind = std::partition_point(next, near_end, comes_before);
  if (behind == near_end) behind = std::partition_point(near_end, entries_.end(), comes_before);
  *std::move(next, behind, next - 1) = moved;
}

ScheduleExecution::ScheduleExecution(std::shared_ptr<const Schedule> schedule, Window window,
                                     std::int32_t tag)
    : held_(std::move(schedule)),
      schedule_(*held_),
      window_(paced(window, schedule_.pace)),
      tag_(tag),
      progress_(schedule_.operations.size()) {
  const auto in_range = [](std::int32_t n) { return n >= 1 && n <= Window::maximum; };
  if (!in_range(window.receives) || !in_range(window.sends)) {
    throw std::invalid_argument("a window must be 1 to 64 messages");
  }
  for (std::uint32_t index = 0; index < schedule_.operations.size(); ++index) {
    const Operation& operation = schedule_.operations[index];
    remaining_ += operation.repeat.count;
    keeps_in_step_ = keeps_in_step_ || operation.max_ahead > 0;
    (operation.kind == Kind::send ? sends_
     : operation.receives()       ? receives_
                                  : copies_)
        .push_sorted(index);
  }
  if (keeps_in_step_) find_oldest_missing();
}

// It is one of those that are under way, or the first of those that are not.
void ScheduleExecution::find_oldest_missing() {
  oldest_missing_ = schedule_.rounds;
  if (!receives_.empty()) {
    const std::uint32_t first = receives_.at(0);
    oldest_missing_ = schedule_.operations[first].round_of(progress_[first].started);
  }
  for (const Slot& slot : slots_) {
    const Operation& operation = schedule_.operations[slot.operation];
    const bool is_missing = slot.state != Slot::State::free && operation.receives() &&
                            slot.iteration >= progress_[slot.operation].complete;
    if (is_missing) oldest_missing_ = std::min(oldest_missing_, operation.round_of(slot.iteration));
  }
}

// Whether a send whose blocks are there may begin beside those under way.
bool ScheduleExecution::may_go(std::uint32_t index) const {
  const Operation& operation = schedule_.operations[index];
  if (operation.is_exclusive && sends_under_way_ > 0) return false;
  return operation.max_ahead == 0 ||
         operation.round_of(progress_[index].started) <= oldest_missing_ + operation.max_ahead;
}

bool ScheduleExecution::ready(std::uint32_t operation, std::int32_t iteration) const {
  for (const std::uint32_t earlier : schedule_.dependencies_of(schedule_.operations[operation])) {
    const std::int32_t complete = progress_[earlier].complete;
    if (complete == schedule_.operations[earlier].repeat.count) continue;
    if (complete < instances_needed(schedule_, earlier, operation, iteration)) return false;
  }
  return true;
}

bool ScheduleExecution::next(Action& action) {
  if (idle_) return false;
  // Combining first: others wait for it. Receives before sends, so that peers find them posted.
  if (received_waiting_ > 0 && next_combine(action)) return true;
  if (!copies_.empty() && next_copy(action)) return true;
  if (!receives_.empty() && next_receive(action)) return true;
  if (!sends_.empty() && next_send(action)) return true;
  idle_ = true;
  return false;
}

bool ScheduleExecution::next_combine(Action& action) {
  for (Ticket ticket = 0; ticket < slots_.size(); ++ticket) {
    Slot& slot = slots_[ticket];
    if (slot.state != Slot::State::received || !ready(slot.operation, slot.iteration)) continue;
    slot.state = Slot::State::combining;
    fill(action, Action::Kind::reduce_local, ticket);
    return true;
  }
  return false;
}

bool ScheduleExecution::next_copy(Action& action) {
  for (std::size_t place = 0; place < std::min(copies_.size(), look_ahead); ++place) {
    const std::uint32_t operation = copies_.at(place);
    if (!ready(operation, progress_[operation].started)) continue;
    start(copies_, place, Action::Kind::copy, action);
    return true;
  }
  return false;
}

bool ScheduleExecution::next_receive(Action& action) {
  if (receives_under_way_ + received_waiting_ >= window_.receives) return false;
  const std::uint32_t operation = receives_.at(0);
  const bool temporary = schedule_.operations[operation].kind == Kind::reduce;
  if (!can_be_tracked(operation)) return false;
  if (!temporary && !ready(operation, progress_[operation].started)) return false;
  ++receives_under_way_;
  start(receives_, 0, temporary ? Action::Kind::receive_bounce : Action::Kind::receive, action);
  return true;
}

bool ScheduleExecution::next_send(Action& action) {
  if (sends_under_way_ >= window_.sends || has_exclusive_send_under_way_) return false;
  std::array<std::int32_t, look_ahead> passed{};  // peers whose earlier message still waits
  std::size_t passed_count = 0;
  const bool may_overtake = sends_under_way_ + 1 < window_.sends;
  const std::size_t reach = std::min(sends_.size(), may_overtake ? look_ahead : 1);
  for (std::size_t place = 0; place < reach; ++place) {
    const std::uint32_t operation = sends_.at(place);
    const std::int32_t peer = schedule_.operations[operation].peer;
    const bool is_exclusive = schedule_.operations[operation].is_exclusive;
    const auto end = passed.begin() + static_cast<std::ptrdiff_t>(passed_count);
    const bool is_behind = std::find(passed.begin(), end, peer) != end;
    if (!is_behind && can_be_tracked(operation) && may_go(operation) &&
        ready(operation, progress_[operation].started)) {
      ++sends_under_way_;
      has_exclusive_send_under_way_ = is_exclusive;
      start(sends_, place, Action::Kind::send, action);
      return true;
    }
    if (is_exclusive) return false;
    if (!is_behind) passed[passed_count++] = peer;
  }
  return false;
}

void ScheduleExecution::start(Queue& queue, std::size_t place, Action::Kind kind, Action& action) {
  const std::uint32_t operation = queue.at(place);
  const std::int32_t iteration = progress_[operation].started++;
  queue.advance(place, schedule_, progress_);
  fill(action, kind, take_slot(operation, iteration));
}

void ScheduleExecution::fill(Action& action, Action::Kind kind, Ticket ticket) const {
  const Slot& slot = slots_[ticket];
  const Operation& operation = schedule_.operations[slot.operation];
  action.kind = kind;
  action.order = operation.order;
  action.carries_sizes = operation.carries_sizes;
  action.combines = operation.combines;
  action.is_synchronous = kind == Action::Kind::send && window_.synchronous_every > 0 &&
                          slot.iteration % window_.synchronous_every == 0;
  action.is_exclusive = kind == Action::Kind::send && operation.is_exclusive;
  action.peer = operation.peer;
  action.tag = tag_;
  action.round = operation.round_of(slot.iteration);
  action.ticket = ticket;
  action.block_sets = schedule_.block_sets_of(operation);
  action.sources =
      operation.kind == Kind::copy ? schedule_.sources_of(operation) : std::span<const BlockSet>{};
  action.block_shift = slot.iteration * operation.repeat.block_step;
  action.operation = slot.operation;
  action.iteration = slot.iteration;
}

Ticket ScheduleExecution::take_slot(std::uint32_t operation, std::int32_t iteration) {
  Ticket ticket = static_cast<Ticket>(slots_.size());
  if (free_slots_.empty()) {
    slots_.emplace_back();
  } else {
    ticket = free_slots_.back();
    free_slots_.pop_back();
  }
  slots_[ticket] = {Slot::State::under_way, operation, iteration};
  return ticket;
}

void ScheduleExecution::complete(Ticket ticket) {
  idle_ = false;
  Slot& slot = slots_[ticket];
  const Operation& operation = schedule_.operations[slot.operation];
  if (operation.kind == Kind::send) {
    --sends_under_way_;
    has_exclusive_send_under_way_ = false;
  } else if (slot.state == Slot::State::combining) {
    --received_waiting_;
  } else if (operation.receives()) {
    --receives_under_way_;
    if (operation.kind == Kind::reduce) {
      slot.state = Slot::State::received;
      ++received_waiting_;
      return;
    }
  }
  finish_instance(slot);
  slot.state = Slot::State::free;
  free_slots_.push_back(ticket);
}

void ScheduleExecution::finish_instance(Slot& slot) {
  // Instances of one operation may end out of order, within 64 of each other.
  Progress& progress = progress_[slot.operation];
  progress.ahead |= std::uint64_t{1} << (slot.iteration - progress.complete);
  const int advance = std::countr_one(progress.ahead);
  progress.complete += advance;
  progress.ahead = advance == 64 ? 0 : progress.ahead >> advance;
  --remaining_;
  if (keeps_in_step_ && schedule_.operations[slot.operation].receives()) find_oldest_missing();
}

std::unique_ptr<Execution> ScheduleExecution::clone() const {
  return std::make_unique<ScheduleExecution>(*this);
}

// The queues and the free slots follow from these.
void ScheduleExecution::describe_state(std::vector<std::int32_t>& state) const {
  for (const Progress& progress : progress_) {
    state.push_back(progress.started);
    state.push_back(progress.complete);
    state.push_back(static_cast<std::int32_t>(progress.ahead));
    state.push_back(static_cast<std::int32_t>(progress.ahead >> 32));
  }
  for (const Slot& slot : slots_) {
    if (slot.state != Slot::State::received) continue;
    state.push_back(static_cast<std::int32_t>(slot.operation));
    state.push_back(slot.iteration);
  }
}

}  // namespace anabranch
