#include "mpi/driver.hpp"

#include <algorithm>
#include <cstdio>

#include "execution/schedule_execution.hpp"
#include "mpi/functions.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {

int broadcast_bytes(char* bytes, const Members& members, std::int32_t rank,
                    const BroadcastPlan& plan) {
  const std::int32_t relative = members.relative(rank);
  const Algorithm& algorithm = *plan.choice.algorithm;
  const Layout layout = Layout::uniform(plan.problem.size_bytes, plan.blocks);
  BlockMemory memory;
  memory.base[static_cast<std::size_t>(Buffer::output)] = bytes;
  memory.layout[static_cast<std::size_t>(Buffer::output)] = &layout;
  const std::string name(algorithm.id);
  if (algorithm.form != Algorithm::Form::protocol) {
    const auto schedule = plan.schedule != nullptr
                              ? plan.schedule
                              : schedule_cache().find_or_make({&algorithm, members.size, relative,
                                                               plan.blocks, plan.choice.values});
    ScheduleExecution execution(*schedule, plan.window, plan.tag);
    return Driver(execution, memory, members, plan.waiting, plan.recording).run(name);
  }
  if (const int error = plan.mail.look(members.channel)) return error;
  const auto execution =
      algorithm.start({plan.problem, relative, plan.blocks, plan.choice.values, plan.window,
                       plan.tag, &schedule_cache(), plan.mail.pushed_bytes()});
  Driver driver(*execution, memory, members, plan.waiting, plan.recording);
  const int error = driver.run(name);
  driver.hand_over(plan.mail, plan.problem.size_bytes);
  if (plan.lateness != nullptr) *plan.lateness = driver.lateness();
  return error;
}

int Driver::run(const std::string& name) {
  if (const int error = start_all()) return release(error);
  waiter_.begin();
  while (!execution_.done()) {
    int completed = 0;
    if (const int error = collect(completed)) return release(error);
    if (const int error = listen(completed)) return release(error);
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

// The bytes of blocks in the order of the message, neighbours in memory taken together.
void Driver::gather_pieces(std::span<const BlockSet> parts, std::int32_t shift) {
  pieces_.clear();
  const auto add = [&](const BlockSet& part, std::int32_t first, std::int32_t count) {
    const auto buffer = static_cast<std::size_t>(part.buffer);
    const ByteRange bytes = memory_.layout[buffer]->of(first + shift, count);
    if (bytes.size_bytes == 0) return;
    char* address = memory_.base[buffer] + bytes.offset_bytes;
    if (!pieces_.empty() && pieces_.back().address + pieces_.back().size_bytes == address) {
      pieces_.back().size_bytes += bytes.size_bytes;
    } else {
      pieces_.push_back({address, bytes.size_bytes});
    }
  };
  for (const BlockSet& part : parts) {
    if (part.stride == 1) {
      add(part, part.first, part.count);
    } else {
      for (std::int32_t i = 0; i < part.count; ++i) add(part, part.at(i), 1);
    }
  }
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
    default:
      break;
  }
  gather_pieces(action.parts, action.block_shift);
  if (pieces_.empty()) {  // both ends know that the blocks are empty
    execution_.complete(action.ticket);
    return MPI_SUCCESS;
  }
  switch (action.kind) {
    case Action::Kind::send:
    case Action::Kind::receive:
      return action.carries_sizes ? MPI_ERR_INTERN : start_message(action);
    case Action::Kind::copy:
      return copy(action);
    default:
      break;  // no collective with a reduction is served yet
  }
  return MPI_ERR_INTERN;
}

int Driver::start_message(const Action& action) {
  const ByteMessage message(pieces_);
  if (message.error() != MPI_SUCCESS) return message.error();
  const int peer = members_.absolute(action.peer);
  MPI_Request request = MPI_REQUEST_NULL;
  const auto send = action.is_synchronous ? native.Issend : native.Isend;
  const int error = action.kind == Action::Kind::send
                        ? send(message.address(), message.count(), message.datatype(), peer,
                               action.tag, members_.channel, &request)
                        : native.Irecv(message.address(), message.count(), message.datatype(), peer,
                                       action.tag, members_.channel, &request);
  if (error != MPI_SUCCESS) return error;
  Pending pending{action.ticket, action.kind, peer, action.round, action.may_end};
  for (const Piece& piece : pieces_) pending.size_bytes += piece.size_bytes;
  post(request, std::move(pending));
  return MPI_SUCCESS;
}

void Driver::post(MPI_Request request, Pending pending) {
  if (recording_ != nullptr) pending.begin_s = wall_s();
  requests_.push_back(request);
  pending_.push_back(std::move(pending));
}

// Words, or an end, which has none.
int Driver::start_words(const Action& action) {
  const bool is_heard = action.kind == Action::Kind::hear;
  if (is_heard && action.peer == Action::anybody) {
    listening_ = {true, action.ticket, action.tag};
    if (begin_s_ == 0) begin_s_ = now_s();
    return MPI_SUCCESS;
  }
  Pending pending{action.ticket, action.kind, members_.absolute(action.peer), action.round};
  pending.words.assign(action.words.begin(), action.words.end());
  if (is_heard) pending.words.resize(static_cast<std::size_t>(action.most_words));
  const auto count = static_cast<int>(pending.words.size());
  MPI_Request request = MPI_REQUEST_NULL;
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

// By a message to this rank, so that memory of a device is not touched from the host.
int Driver::copy(const Action& action) {
  const ByteMessage to(pieces_);
  gather_pieces(action.sources, 0);
  const ByteMessage from(pieces_);
  int rank = 0;
  int error = to.error() != MPI_SUCCESS ? to.error() : from.error();
  if (error == MPI_SUCCESS) error = native.Comm_rank(members_.channel, &rank);
  if (error == MPI_SUCCESS) {
    error = native.Sendrecv(from.address(), from.count(), from.datatype(), rank, action.tag,
                            to.address(), to.count(), to.datatype(), rank, action.tag,
                            members_.channel, MPI_STATUS_IGNORE);
  }
  if (error == MPI_SUCCESS) execution_.complete(action.ticket);
  return error;
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
  execution_.complete(pending.ticket);
  return MPI_SUCCESS;
}

void Driver::record(const Pending& pending, Action::Kind kind) {
  recording_->add(kind, pending.peer, pending.begin_s, pending.size_bytes);
}

// After a failure nothing may write into the user's buffer any more.
int Driver::release(int error) {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    const bool receives =
        pending_[i].kind == Action::Kind::receive || pending_[i].kind == Action::Kind::hear;
    if (receives) native.Cancel(&requests_[i]);
    native.Request_free(&requests_[i]);
  }
  requests_.clear();
  pending_.clear();
  return error;
}

std::string Driver::text_of(const Pending& pending) {
  const std::string peer = "rank " + std::to_string(pending.peer);
  const std::string round = " (round " + std::to_string(pending.round) + ")";
  switch (pending.kind) {
    case Action::Kind::hear:
      return " hears from " + peer;
    case Action::Kind::tell:
    case Action::Kind::end:
      return " tells " + peer;
    case Action::Kind::send:
      return " sends to " + peer + round;
    default:
      return " receives from " + peer + round;
  }
}

void Driver::report(const std::string& name) const {
  int rank = 0;
  native.Comm_rank(members_.channel, &rank);
  std::string text = "anabranch: watchdog: rank " + std::to_string(rank) + " of " +
                     std::to_string(members_.size) + " makes no progress in " + name + ", root " +
                     std::to_string(members_.root) + ":";
  for (const Pending& pending : pending_) {
    text += text_of(pending);
  }
  if (listening_.is_on) text += " hears from any rank";
  if (pending_.empty() && !listening_.is_on) text += " nothing is under way";
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace anabranch::mpi
