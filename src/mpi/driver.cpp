#include "mpi/driver.hpp"

#include <algorithm>
#include <cstdio>
#include <new>

#include "mpi/functions.hpp"

namespace anabranch::mpi {

int Driver::run(const std::string& name) {
  if (const int error = start_all()) return release(error);
  waiter_.begin();
  while (!execution_.done()) {
    int completed = 0;
    if (const int error = collect(completed)) return release(error);
    if (const int error = listen(completed)) return release(error);
    if (const int error = look_for_headers(completed)) return release(error);
    if (completed == 0 && !ring_timers()) {
      if (waiter_.wait()) report(name);
      continue;
    }
    waiter_.begin();
    if (const int error = start_all()) return release(error);
  }
  if (begin_s_ != 0) lateness_.end_s = now_s() - begin_s_;
  return MPI_SUCCESS;
}

void Driver::hand_over(Mail& mail, std::int64_t bytes_each) {
  mail.expect(execution_.unheard(), listening_.tag, bytes_each);
}

int Driver::start_all() {
  Action action;
  while (execution_.next(action)) {
    if (const int error = start(action)) return error;
  }
  return MPI_SUCCESS;
}

int Driver::start(const Action& action) {
  switch (action.kind) {
    case Action::Kind::tell:
    case Action::Kind::hear:
    case Action::Kind::end:
      return start_words(action);
    case Action::Kind::wait:
      timers_.push_back({action.ticket, now_s() + action.wait_s});
      return MPI_SUCCESS;
    case Action::Kind::copy:
      if (const int error =
              copy_blocks(action.sources, action.parts, memory_, members_.channel, action.tag)) {
        return error;
      }
      execution_.complete(action.ticket);
      return MPI_SUCCESS;
    case Action::Kind::receive:
    case Action::Kind::receive_temporary:
      if (!has_header(action) && !waits_for_header(action.peer)) return start_receive(action);
      not_yet_received_.push_back(action);
      return MPI_SUCCESS;
    case Action::Kind::send:
      return start_send(action);
    case Action::Kind::combine:
      return finish_combining(action);
  }
  return MPI_ERR_INTERN;
}

// Words, or an end, which has none.
int Driver::start_words(const Action& action) {
  const bool is_heard = action.kind == Action::Kind::hear;
  if (is_heard && action.peer == Action::anybody) {
    listening_ = {true, action.ticket, action.tag};
    if (begin_s_ == 0) begin_s_ = now_s();
    return MPI_SUCCESS;
  }
  Pending pending{action.ticket, action.kind, members_.absolute(action.peer), action.tag,
                  action.round};
  pending.words.assign(action.words.begin(), action.words.end());
  if (is_heard) pending.words.resize(static_cast<std::size_t>(action.most_words));
  const auto count = static_cast<int>(pending.words.size());
  MPI_Request request = MPI_REQUEST_NULL;
  make_room();
  const int error = is_heard ? native.Irecv(pending.words.data(), count, MPI_INT32_T, pending.peer,
                                            action.tag, members_.channel, &request)
                             : native.Isend(pending.words.data(), count, MPI_INT32_T, pending.peer,
                                            action.tag, members_.channel, &request);
  if (error != MPI_SUCCESS) return error;
  post(request, std::move(pending));
  return MPI_SUCCESS;
}

void Driver::note_arrival() {
  if (execution_.last_arrived() < 0) return;
  const std::int32_t rank = members_.absolute(execution_.last_arrived());
  if (rank == lateness_.rank) return;
  lateness_.rank = rank;
  lateness_.arrival_s = now_s() - begin_s_;
}

int Driver::listen(int& completed) {
  if (!listening_.is_on) return MPI_SUCCESS;
  std::int32_t sender = -1;
  const int error = take_words(members_.channel, listening_.tag, words_, sender);
  if (error != MPI_SUCCESS || sender < 0) return error;
  ++completed;
  listening_.is_on = false;
  if (recording_ != nullptr) recording_->add(Action::Kind::hear, sender, wall_s(), 0);
  execution_.heard(listening_.ticket, members_.relative(sender), words_);
  note_arrival();
  return MPI_SUCCESS;
}

// Whether one was due.
bool Driver::ring_timers() {
  if (timers_.empty()) return false;
  const double now = now_s();
  const auto due =
      std::ranges::find_if(timers_, [now](const Timer& timer) { return timer.due_s <= now; });
  if (due == timers_.end()) return false;
  const Ticket ticket = due->ticket;
  timers_.erase(due);
  execution_.complete(ticket);
  return true;
}

int Driver::collect(int& completed) {
  const std::size_t count = requests_.size();
  indices_.resize(count);
  statuses_.resize(count);
  int error = native.Testsome(static_cast<int>(count), requests_.data(), &completed,
                              indices_.data(), statuses_.data());
  if (completed == MPI_UNDEFINED) completed = 0;
  if (error == MPI_ERR_IN_STATUS) {
    for (int i = 0; i < completed; ++i) {
      const int of_one = statuses_[static_cast<std::size_t>(i)].MPI_ERROR;
      if (of_one != MPI_SUCCESS) error = of_one;
    }
  }
  if (error != MPI_SUCCESS) return error;
  for (int i = 0; i < completed; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const Pending& pending = pending_[static_cast<std::size_t>(indices_[place])];
    if (const int of_one = finish(pending, statuses_[place])) return of_one;
  }
  // Completed requests became null: close the gaps.
  if (completed > 0) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      if (kept != i) pending_[kept] = std::move(pending_[i]);
      ++kept;
    }
    requests_.resize(kept);
    pending_.resize(kept);
  }
  return MPI_SUCCESS;
}

int Driver::finish(const Pending& pending, const MPI_Status& status) {
  if (recording_ != nullptr && !pending.may_end) record(pending, pending.kind);
  if (pending.kind == Action::Kind::hear) {
    int count = 0;
    const int error = native.Get_count(&status, MPI_INT32_T, &count);
    execution_.heard(pending.ticket, members_.relative(status.MPI_SOURCE),
                     {pending.words.data(), static_cast<std::size_t>(count)});
    return error;
  }
  if (pending.may_end) {
    int count = 0;
    const int error = native.Get_count(&status, MPI_BYTE, &count);
    if (error != MPI_SUCCESS) return error;
    if (recording_ != nullptr) record(pending, count > 0 ? pending.kind : Action::Kind::end);
    if (count == 0) {
      execution_.ended(pending.ticket);
      return MPI_SUCCESS;
    }
  }
  if (pending.sized.address != nullptr) {
    const int error = place_sized(pending.sized, pending.telling, pending.parts, pending.shift,
                                  memory_, members_.channel, pending.tag);
    if (error != MPI_SUCCESS) return error;
  }
  execution_.complete(pending.ticket);
  return MPI_SUCCESS;
}

void Driver::record(const Pending& pending, Action::Kind kind) {
  recording_->add(kind, pending.peer, pending.begin_s, pending.size_bytes);
}

// After a failure nothing may write into the user's buffer any more. What is under way all the same
// keeps the memory that it needs.
int Driver::release(int error) noexcept {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    const bool receives =
        pending_[i].kind == Action::Kind::receive || pending_[i].kind == Action::Kind::hear;
    if (receives) native.Cancel(&requests_[i]);
    native.Request_free(&requests_[i]);
  }
  if (!requests_.empty()) {
    memory_.temporary().keep_for_ever();
    static_cast<void>(new (std::nothrow) std::vector<Pending>(std::move(pending_)));  // its words
  }
  requests_.clear();
  pending_.clear();
  return error;
}

}  // namespace anabranch::mpi
