#include "execution/protocol.hpp"

#include <algorithm>
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
      passings_(blocks, window.sends) {}

Protocol::Protocol(const Protocol& other)
    : Execution(other),
      ranks_(other.ranks_),
      rank_(other.rank_),
      blocks_(other.blocks_),
      window_(other.window_),
      tag_(other.tag_),
      held_(other.held_),
      has_begun_(other.has_begun_),
      outbox_(other.outbox_),
      first_told_(other.first_told_),
      telling_(other.telling_),
      hear_from_(other.hear_from_),
      to_hear_(other.to_hear_),
      is_hearing_(other.is_hearing_),
      wait_s_(other.wait_s_),
      taking_(other.taking_),
      passings_(other.passings_),
      first_group_(other.first_group_),
      slots_(other.slots_),
      free_slots_(other.free_slots_) {
  for (const auto& group : other.groups_) groups_.push_back(std::make_unique<RunningGroup>(*group));
}

void Protocol::tell(std::int32_t peer, std::initializer_list<std::int32_t> words) {
  outbox_.push_back({peer, words});
}

void Protocol::tell(std::int32_t peer, std::vector<std::int32_t> words) {
  outbox_.push_back({peer, std::move(words)});
}

void Protocol::hear(std::int32_t peer) {
  hear_from_ = peer;
  ++to_hear_;
}

void Protocol::wait(double seconds) { wait_s_ = seconds; }

void Protocol::take_from(std::int32_t peer) { taking_ = {peer, held_.prefix(), 0, false}; }

bool Protocol::was_ended() const {
  return taking_.ended && taking_.under_way == 0 &&
         taking_.next == std::min(held_.prefix() + window_.receives, blocks_);
}

void Protocol::pass_to(std::int32_t peer, std::int32_t first, std::int32_t peer_window,
                       bool has_arrived) {
  passings_.add(peer, first, peer_window, has_arrived);
}

std::int32_t Protocol::stop_passing_to(std::int32_t peer) { return passings_.stop(peer); }

void Protocol::run(std::shared_ptr<const Schedule> schedule, std::vector<std::int32_t> members,
                   bool has_words_to_come) {
  Window window = window_;
  if (has_words_to_come) window.synchronous_every = Passings::pace;
  groups_.push_back(std::make_unique<RunningGroup>(
      RunningGroup{std::move(members), ScheduleExecution(std::move(schedule), window, tag_)}));
}

bool Protocol::next(Action& action) {
  if (!has_begun_) {
    has_begun_ = true;
    begin();
    on_progress();
  }
  // Words first: others wait for them. Receives before sends, so that peers find them posted.
  return next_words(action) || next_of_groups(action) || next_taking(action) ||
         next_passing(action);
}

bool Protocol::next_words(Action& action) {
  const std::int32_t tag = TagSequence::of_words(tag_);
  if (to_hear_ > 0 && !is_hearing_) {
    is_hearing_ = true;
    --to_hear_;
    action = {.kind = Action::Kind::hear,
              .peer = hear_from_,
              .tag = tag,
              .ticket = take_slot({Slot::Use::hear}),
              .most_words = most_words(ranks_)};
    return true;
  }
  if (first_told_ < outbox_.size()) {
    Words& message = outbox_[first_told_++];
    last_told_ = std::move(message.words);
    const std::int32_t peer = message.peer;
    if (first_told_ == outbox_.size()) {
      outbox_.clear();
      first_told_ = 0;
    }
    ++telling_;
    action = {.kind = Action::Kind::tell,
              .peer = peer,
              .tag = tag,
              .ticket = take_slot({Slot::Use::tell}),
              .words = last_told_};
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

bool Protocol::next_of_groups(Action& action) {
  for (std::size_t i = first_group_; i < groups_.size(); ++i) {
    RunningGroup& group = *groups_[i];
    action = {};
    if (!group.execution.next(action)) continue;
    action.peer = group.members[static_cast<std::size_t>(action.peer)];
    action.ticket = take_slot(
        {Slot::Use::group, static_cast<std::uint32_t>(i), action.ticket, 0,
         action.kind == Action::Kind::receive ? action.parts : std::span<const BlockSet>{},
         action.block_shift});
    return true;
  }
  return false;
}

void Protocol::start_block(Action& action, Action::Kind kind, std::int32_t peer,
                           std::int32_t block) {
  part_ = {block, 1, 1, Buffer::output};
  action = {.kind = kind, .peer = peer, .tag = tag_, .parts = {&part_, 1}, .iteration = block};
  action.may_end = kind == Action::Kind::receive;
  if (kind == Action::Kind::end) action.parts = {};
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

bool Protocol::next_passing(Action& action) {
  const auto message = passings_.next(held_.prefix());
  if (!message) return false;
  start_block(action, message->is_end ? Action::Kind::end : Action::Kind::send, message->peer,
              message->block);
  action.is_synchronous = message->is_synchronous;
  action.ticket = take_slot({Slot::Use::passing, message->passing});
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
  for (const BlockSet& part : slot.parts) {
    for (std::int32_t i = 0; i < part.count; ++i) held_.add(part.at(i) + slot.shift);
  }
}

void Protocol::complete(Ticket ticket) {
  const Slot slot = give_back(ticket);
  switch (slot.use) {
    case Slot::Use::tell:
      --telling_;
      break;
    case Slot::Use::wait:
      on_time();
      break;
    case Slot::Use::group:
      hold(slot);
      groups_[slot.index]->execution.complete(slot.ticket);
      while (is_running() && groups_[first_group_]->execution.done()) ++first_group_;
      break;
    case Slot::Use::taking:
      --taking_.under_way;
      held_.add(slot.block);
      break;
    case Slot::Use::passing:
      passings_.complete(slot.index);
      break;
    case Slot::Use::hear:
    case Slot::Use::none:
      throw std::logic_error("a protocol was told of what it did not start");
  }
  passings_.drop_those_through();
  on_progress();
}

void Protocol::heard(Ticket ticket, std::int32_t peer, std::span<const std::int32_t> words) {
  give_back(ticket);
  is_hearing_ = false;
  on_words(peer, words);
  on_progress();
}

void Protocol::ended(Ticket ticket) {
  give_back(ticket);
  --taking_.under_way;
  taking_.ended = true;
  on_progress();
}

bool Protocol::done() const {
  return has_begun_ && is_over() && first_told_ == outbox_.size() && telling_ == 0 &&
         taking_.under_way == 0 && !is_passing() && !is_running();
}

void Protocol::describe_state(std::vector<std::int32_t>& state) const {
  held_.describe_state(state);
  const auto size = [&](std::size_t n) { state.push_back(static_cast<std::int32_t>(n)); };
  size(outbox_.size() - first_told_);
  for (std::size_t i = first_told_; i < outbox_.size(); ++i) {
    state.push_back(outbox_[i].peer);
    state.insert(state.end(), outbox_[i].words.begin(), outbox_[i].words.end());
  }
  state.insert(state.end(), {has_begun_, telling_, hear_from_, to_hear_, is_hearing_, wait_s_ >= 0,
                             taking_.peer, taking_.next, taking_.under_way, taking_.ended});
  passings_.describe_state(state);
  size(groups_.size() - first_group_);
  for (std::size_t i = first_group_; i < groups_.size(); ++i) {
    groups_[i]->execution.describe_state(state);
  }
}

}  // namespace anabranch
