#include "execution/protocol.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "execution/tags.hpp"

namespace anabranch {

Protocol::Protocol(std::int32_t ranks, std::int32_t rank, std::int32_t blocks, Window window,
                   std::int32_t tag)
    : ranks_(ranks),
      rank_(rank),
      blocks_(blocks),
      window_(window),
      tag_(tag),
      held_(blocks, rank == 0 ? blocks : 0),
      forwarding_(blocks, window.sends) {}

Protocol::Protocol(const Protocol& other)
    : Execution(other),
      ranks_(other.ranks_),
      rank_(other.rank_),
      blocks_(other.blocks_),
      window_(other.window_),
      tag_(other.tag_),
      held_(other.held_),
      held_in_(other.held_in_),
      has_begun_(other.has_begun_),
      served_all_together_(other.served_all_together_),
      outbox_(other.outbox_),
      first_outgoing_(other.first_outgoing_),
      control_sends_under_way_(other.control_sends_under_way_),
      control_peer_(other.control_peer_),
      control_expected_(other.control_expected_),
      awaits_control_(other.awaits_control_),
      wait_s_(other.wait_s_),
      taking_(other.taking_),
      forwarding_(other.forwarding_),
      first_group_(other.first_group_),
      slots_(other.slots_),
      free_slots_(other.free_slots_) {
  for (const auto& group : other.groups_) groups_.push_back(std::make_unique<RunningGroup>(*group));
}

std::vector<std::int32_t> Protocol::all_ranks() const {
  std::vector<std::int32_t> all(static_cast<std::size_t>(ranks_));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::int32_t> Protocol::members_in(std::span<const std::int32_t> numbers) const {
  auto members = read_members(numbers, ranks_);
  require(members.has_value());
  return *std::move(members);
}

void Protocol::hold_blocks_of(Buffer buffer) {
  held_in_ = buffer;
  held_ = HeldBlocks(blocks_, buffer == Buffer::input ? blocks_ : 0);
}

void Protocol::send_control(std::int32_t peer, std::initializer_list<std::int32_t> control) {
  outbox_.push_back({peer, control});
}

void Protocol::send_control(std::int32_t peer, std::vector<std::int32_t> control) {
  outbox_.push_back({peer, std::move(control)});
}

void Protocol::receive_control(std::int32_t peer) {
  control_peer_ = peer;
  ++control_expected_;
}

void Protocol::wait(double seconds) { wait_s_ = seconds; }

void Protocol::take_from(std::int32_t peer) { taking_ = {peer, held_.prefix(), 0, false}; }

bool Protocol::was_ended() const {
  return taking_.ended && taking_.under_way == 0 &&
         taking_.next == std::min(held_.prefix() + window_.receives, blocks_);
}

void Protocol::pass_to(std::int32_t peer, std::int32_t first, std::int32_t peer_window,
                       bool is_paced, bool is_near) {
  forwarding_.add(peer, first, peer_window, is_paced, is_near);
}

std::int32_t Protocol::stop_passing_to(std::int32_t peer) { return forwarding_.stop(peer); }

void Protocol::run(std::shared_ptr<const Schedule> schedule, std::vector<std::int32_t> members,
                   bool has_control_to_come) {
  Window window = window_;
  if (has_control_to_come) window.synchronous_every = ForwardingQueue::pace;
  const bool writes_held =
      rank_ == 0 && std::ranges::any_of(schedule->operations, &Operation::receives);
  groups_.push_back(std::make_unique<RunningGroup>(RunningGroup{
      std::move(members), ScheduleExecution(std::move(schedule), window, tag_), writes_held}));
  drop_finished_groups();
}

void Protocol::drop_finished_groups() {
  while (is_running() && groups_[first_group_]->execution.done()) ++first_group_;
}

bool Protocol::next(Action& action) {
  if (!has_begun_) {
    has_begun_ = true;
    begin();
    on_progress();
  }
  // Control messages first: others wait for them. Receives before sends, so that peers find them
  // posted.
  return next_control(action) || next_of_groups(action) || next_taking(action) ||
         next_forwarding(action);
}

bool Protocol::next_control(Action& action) {
  const std::int32_t tag = TagSequence::of_control(tag_);
  if (control_expected_ > 0 && !awaits_control_) {
    awaits_control_ = true;
    --control_expected_;
    action = {.kind = Action::Kind::receive_control,
              .peer = control_peer_,
              .tag = tag,
              .ticket = take_slot({Slot::Use::receive_control}),
              .max_control_length = max_control_length(ranks_)};
    return true;
  }
  if (first_outgoing_ < outbox_.size()) {
    Outgoing& message = outbox_[first_outgoing_++];
    last_control_ = std::move(message.control);
    const std::int32_t peer = message.peer;
    if (first_outgoing_ == outbox_.size()) {
      outbox_.clear();
      first_outgoing_ = 0;
    }
    ++control_sends_under_way_;
    action = {.kind = Action::Kind::send_control,
              .peer = peer,
              .tag = tag,
              .ticket = take_slot({Slot::Use::send_control}),
              .control = last_control_};
    return true;
  }
  if (wait_s_ >= 0) {
    action = {.kind = Action::Kind::wait,
              .ticket = take_slot({Slot::Use::wait}),
              .wait_s = std::exchange(wait_s_, -1)};
    return true;
  }
  return false;
}

// is_first: no other one before it is still running.
bool Protocol::may_go_on(const RunningGroup& group, bool is_first) const {
  return !group.writes_held || (is_first && (group.has_begun || !is_passing()));
}

bool Protocol::next_of_groups(Action& action) {
  bool is_first = true;
  for (std::size_t i = first_group_; i < groups_.size(); ++i) {
    RunningGroup& group = *groups_[i];
    if (group.execution.done()) continue;
    if (!may_go_on(group, std::exchange(is_first, false))) return false;
    action = {};
    if (!group.execution.next(action)) {
      if (group.writes_held) return false;
      continue;
    }
    group.has_begun = true;
    if (action.peer >= 0) action.peer = group.members[static_cast<std::size_t>(action.peer)];
    action.ticket = ticket_for(action, static_cast<std::uint32_t>(i));
    return true;
  }
  return false;
}

// What is combined goes on under the ticket of its receive.
Ticket Protocol::ticket_for(const Action& action, std::uint32_t group) {
  if (action.kind == Action::Kind::reduce_local) {
    const auto received = std::ranges::find_if(slots_, [&](const Slot& slot) {
      return slot.use == Slot::Use::bounce && slot.index == group && slot.ticket == action.ticket;
    });
    received->use = Slot::Use::group;
    if (held_in_ == Buffer::scratch) {
      received->block_sets = action.block_sets;
      received->shift = action.block_shift;
    }
    return static_cast<Ticket>(received - slots_.begin());
  }
  const bool is_bounce = action.kind == Action::Kind::receive_bounce;
  return take_slot(
      {is_bounce ? Slot::Use::bounce : Slot::Use::group, group, action.ticket, 0,
       action.kind == Action::Kind::receive ? action.block_sets : std::span<const BlockSet>{},
       action.block_shift});
}

void Protocol::start_block(Action& action, Action::Kind kind, std::int32_t peer,
                           std::int32_t block) {
  block_set_ = {block, 1, 1, held_in_};
  action = {
      .kind = kind, .peer = peer, .tag = tag_, .block_sets = {&block_set_, 1}, .iteration = block};
  action.may_end = kind == Action::Kind::receive;
  if (kind == Action::Kind::end) action.block_sets = {};
}

bool Protocol::next_taking(Action& action) {
  if (taking_.peer == nobody || taking_.next >= blocks_ ||
      taking_.next >= held_.prefix() + window_.receives) {
    return false;
  }
  ++taking_.under_way;
  start_block(action, Action::Kind::receive, taking_.peer, taking_.next);
  action.ticket = take_slot({Slot::Use::taking, 0, 0, taking_.next++});
  return true;
}

bool Protocol::is_held_written() const {
  return std::any_of(groups_.begin() + static_cast<std::ptrdiff_t>(first_group_), groups_.end(),
                     [](const auto& group) {
                       return group->writes_held && group->has_begun && !group->execution.done();
                     });
}

bool Protocol::next_forwarding(Action& action) {
  if (is_passing() && is_held_written()) return false;
  const auto message = forwarding_.next(held_.prefix());
  if (!message) return false;
  start_block(action, message->is_end ? Action::Kind::end : Action::Kind::send, message->peer,
              message->block);
  action.is_synchronous = message->is_synchronous;
  action.ticket = take_slot({Slot::Use::forwarding, message->forwarding});
  return true;
}

Ticket Protocol::take_slot(Slot slot) {
  if (free_slots_.empty()) {
    slots_.push_back(slot);
    return static_cast<Ticket>(slots_.size() - 1);
  }
  const Ticket ticket = free_slots_.back();
  free_slots_.pop_back();
  slots_[ticket] = slot;
  return ticket;
}

Protocol::Slot Protocol::give_back(Ticket ticket) {
  free_slots_.push_back(ticket);
  return std::exchange(slots_[ticket], Slot{Slot::Use::none});
}

void Protocol::hold(const Slot& slot) {
  for (const BlockSet& set : slot.block_sets) {
    if (set.buffer != held_in_) continue;
    for (std::int32_t i = 0; i < set.count; ++i) held_.add(set.at(i) + slot.shift);
  }
}

void Protocol::complete(Ticket ticket) {
  if (slots_[ticket].use == Slot::Use::bounce) {
    groups_[slots_[ticket].index]->execution.complete(slots_[ticket].ticket);
    on_progress();
    return;
  }
  const Slot slot = give_back(ticket);
  switch (slot.use) {
    case Slot::Use::send_control:
      --control_sends_under_way_;
      break;
    case Slot::Use::wait:
      on_time();
      break;
    case Slot::Use::group:
      hold(slot);
      groups_[slot.index]->execution.complete(slot.ticket);
      drop_finished_groups();
      break;
    case Slot::Use::taking:
      --taking_.under_way;
      held_.add(slot.block);
      break;
    case Slot::Use::forwarding:
      forwarding_.complete(slot.index);
      break;
    case Slot::Use::receive_control:
    case Slot::Use::bounce:
    case Slot::Use::none:
      throw std::logic_error("what completed was not started by the protocol");
  }
  forwarding_.drop_those_through();
  on_progress();
}

void Protocol::control_received(Ticket ticket, std::int32_t peer,
                                std::span<const std::int32_t> control) {
  give_back(ticket);
  awaits_control_ = false;
  on_control(peer, control);
  on_progress();
}

void Protocol::ended(Ticket ticket) {
  give_back(ticket);
  --taking_.under_way;
  taking_.ended = true;
  on_progress();
}

bool Protocol::done() const {
  return has_begun_ && is_over() && first_outgoing_ == outbox_.size() &&
         control_sends_under_way_ == 0 && taking_.under_way == 0 && !is_passing() && !is_running();
}

void Protocol::describe_state(std::vector<std::int32_t>& state) const {
  held_.describe_state(state);
  const auto size = [&](std::size_t n) { state.push_back(static_cast<std::int32_t>(n)); };
  size(outbox_.size() - first_outgoing_);
  for (std::size_t i = first_outgoing_; i < outbox_.size(); ++i) {
    state.push_back(outbox_[i].peer);
    state.insert(state.end(), outbox_[i].control.begin(), outbox_[i].control.end());
  }
  state.insert(state.end(),
               {static_cast<std::int32_t>(held_in_), has_begun_, served_all_together_,
                control_sends_under_way_, control_peer_, control_expected_, awaits_control_,
                wait_s_ >= 0, taking_.peer, taking_.next, taking_.under_way, taking_.ended});
  forwarding_.describe_state(state);
  size(groups_.size() - first_group_);
  for (std::size_t i = first_group_; i < groups_.size(); ++i) {
    groups_[i]->execution.describe_state(state);
  }
}

}  // namespace anabranch
