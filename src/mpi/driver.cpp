#include "mpi/driver.hpp"

#include <algorithm>

#include "mpi/functions.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {

int Driver::start() {
  Action action;
  while (driven_.execution.next(action)) {
    if (const int error = start(action)) return error;
  }
  return MPI_SUCCESS;
}

int Driver::advance(bool& moved) {
  int completed = 0;
  int error = transport_.collect(
      completed,
      [this](const Pending& pending, const MPI_Status& status) { return finish(pending, status); });
  bool has_control = false;
  if (error == MPI_SUCCESS) error = probe_any_source(has_control);
  if (error == MPI_SUCCESS) {
    error = sized_receives_.look(completed, [this](const Action& action, bool& is_started) {
      return sized_receives_.has_header(action) ? receive_sized_message(action, is_started)
                                                : start_receive(action);
    });
  }
  if (error != MPI_SUCCESS) return error;
  bool is_due = false;
  if (completed == 0 && !has_control && !timers_.empty()) {
    if (const auto ticket = timers_.take(now_s())) {
      driven_.execution.complete(*ticket);
      is_due = true;
    }
  }
  moved = completed > 0 || has_control || is_due;
  return moved ? start() : MPI_SUCCESS;
}

int Driver::start(const Action& action) {
  switch (action.kind) {
    case Action::Kind::send_control:
    case Action::Kind::receive_control:
    case Action::Kind::end:
      return start_control(action);
    case Action::Kind::wait:
      timers_.add(action.ticket, now_s() + action.wait_s);
      return MPI_SUCCESS;
    case Action::Kind::copy:
      return copy(action);
    case Action::Kind::receive:
    case Action::Kind::receive_bounce:
      if (!sized_receives_.waits(action)) return start_receive(action);
      sized_receives_.add(action);
      return MPI_SUCCESS;
    case Action::Kind::send:
      return start_send(action);
    case Action::Kind::reduce_local:
      return reduce_locally(action);
  }
  return MPI_ERR_INTERN;
}

// Control messages, or an end, which has none.
int Driver::start_control(const Action& action) {
  const bool is_heard = action.kind == Action::Kind::receive_control;
  if (is_heard && action.peer == Action::anybody) {
    any_source_ = {true, action.ticket, action.tag};
    if (begin_s_ == 0) begin_s_ = now_s();
    return MPI_SUCCESS;
  }
  Pending pending{.ticket = action.ticket,
                  .kind = action.kind,
                  .peer = driven_.group.absolute(action.peer),
                  .tag = action.tag,
                  .round = action.round};
  pending.control.assign(action.control.begin(), action.control.end());
  return is_heard ? transport_.receive_control(std::move(pending), action.max_control_length)
                  : transport_.send_control(std::move(pending));
}

void Driver::note_arrival() {
  if (driven_.execution.last_arrived() < 0) return;
  const std::int32_t rank = driven_.group.absolute(driven_.execution.last_arrived());
  if (rank == skew_.rank) return;
  skew_.rank = rank;
  skew_.arrival_s = now_s() - begin_s_;
}

int Driver::probe_any_source(bool& moved) {
  if (!any_source_.is_on) return MPI_SUCCESS;
  std::int32_t sender = -1;
  const int error = take_control_message(driven_.group.channel, any_source_.tag, control_, sender);
  if (error != MPI_SUCCESS || sender < 0) return error;
  moved = true;
  any_source_.is_on = false;
  if (driven_.recording != nullptr) {
    driven_.recording->add(Action::Kind::receive_control, sender, wall_s(), 0);
  }
  driven_.execution.control_received(any_source_.ticket, driven_.group.relative(sender), control_);
  note_arrival();
  return MPI_SUCCESS;
}

int Driver::finish_control(const Pending& pending, const MPI_Status& status) {
  int count = 0;
  const int error = native.Get_count(&status, MPI_INT32_T, &count);
  driven_.execution.control_received(pending.ticket, driven_.group.relative(status.MPI_SOURCE),
                                     {pending.control.data(), static_cast<std::size_t>(count)});
  return error;
}

int Driver::finish(const Pending& pending, const MPI_Status& status) {
  if (!pending.may_end) record(pending, pending.kind);
  if (pending.kind == Action::Kind::receive_control) return finish_control(pending, status);
  if (pending.may_end) {
    int count = 0;
    const int error = native.Get_count(&status, MPI_BYTE, &count);
    if (error != MPI_SUCCESS) return error;
    record(pending, count > 0 ? pending.kind : Action::Kind::end);
    if (count == 0) {
      driven_.execution.ended(pending.ticket);
      return MPI_SUCCESS;
    }
  }
  if (pending.sized.address != nullptr) {
    const int error = place_sized(pending.sized, pending.content, pending.block_sets, pending.shift,
                                  driven_.memory, driven_.group.channel, pending.tag);
    if (error != MPI_SUCCESS) return error;
  }
  driven_.execution.complete(pending.ticket);
  return MPI_SUCCESS;
}

void Driver::record(const Pending& pending, Action::Kind kind) {
  if (driven_.recording == nullptr) return;
  driven_.recording->add(kind, pending.peer, pending.begin_s, pending.size_bytes);
}

void Driver::hand_over(PendingControl& pending_control, std::int64_t bytes_each) {
  pending_control.expect(driven_.execution.pending_control_messages(), any_source_.tag, bytes_each);
}

ArrivalSkew Driver::skew() const {
  ArrivalSkew skew = skew_;
  if (begin_s_ != 0) skew.end_s = now_s() - begin_s_;
  return skew;
}

// What is under way all the same keeps the memory that it needs.
void Driver::release() noexcept {
  if (!transport_.release()) driven_.memory.temporary().keep_for_ever();
}

std::string Driver::text_of(const Pending& pending) {
  const std::string peer = "rank " + std::to_string(pending.peer);
  const std::string round = " (round " + std::to_string(pending.round) + ")";
  switch (pending.kind) {
    case Action::Kind::receive_control:
      return " receives control from " + peer;
    case Action::Kind::send_control:
    case Action::Kind::end:
      return " sends control to " + peer;
    case Action::Kind::send:
      return " sends to " + peer + round;
    default:
      return " receives from " + peer + round;
  }
}

// " rank 3, 5, 6 and 12 others", or any.
std::string Driver::awaited_ranks() const {
  constexpr std::size_t most_told = 8;
  const std::vector<std::int32_t> awaited = driven_.execution.awaited_ranks();
  if (awaited.empty()) return " any rank";
  std::string who;
  for (std::size_t i = 0; i < std::min(awaited.size(), most_told); ++i) {
    who += (i == 0 ? " rank " : ", ") + std::to_string(driven_.group.absolute(awaited[i]));
  }
  if (awaited.size() > most_told) {
    who += " and " + std::to_string(awaited.size() - most_told) + " others";
  }
  return who;
}

std::string Driver::waits_for() const {
  std::string what;
  for (const Pending& pending : transport_.pending()) what += text_of(pending);
  for (const Action& action : sized_receives_.waiting()) what += text_of(pending_of(action, 0));
  if (any_source_.is_on) what += " receives control from" + awaited_ranks();
  return what.empty() ? " nothing is under way" : what;
}

}  // namespace anabranch::mpi
