#include "mpi/driver.hpp"

#include <cstdio>

#include "execution/schedule_execution.hpp"
#include "mpi/functions.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {

int broadcast_bytes(char* bytes, std::int64_t size_bytes, const Members& members, std::int32_t rank,
                    const BroadcastPlan& plan) {
  const std::int32_t relative = (rank - members.root + members.size) % members.size;
  const Algorithm& algorithm = *plan.choice.algorithm;
  const auto schedule = schedule_cache().find_or_make(
      {&algorithm, members.size, relative, plan.blocks, plan.choice.values});
  const Layout layout = Layout::uniform(size_bytes, plan.blocks);
  BlockMemory memory;
  memory.base[static_cast<std::size_t>(Buffer::output)] = bytes;
  memory.layout[static_cast<std::size_t>(Buffer::output)] = &layout;
  ScheduleExecution execution(*schedule, plan.window, plan.tag);
  return Driver(execution, memory, members, plan.waiting).run(std::string(algorithm.id));
}

int Driver::run(const std::string& name) {
  if (const int error = start_all()) return release(error);
  waiter_.begin();
  while (!execution_.done()) {
    int completed = 0;
    if (const int error = collect(completed)) return release(error);
    if (completed == 0) {
      if (waiter_.wait()) report(name);
      continue;
    }
    waiter_.begin();
    if (const int error = start_all()) return release(error);
  }
  return MPI_SUCCESS;
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
    case Action::Kind::receive_temporary:
    case Action::Kind::combine:
      break;  // no collective with a reduction is served yet
  }
  return MPI_ERR_INTERN;
}

int Driver::start_message(const Action& action) {
  const ByteMessage message(pieces_);
  if (message.error() != MPI_SUCCESS) return message.error();
  const int peer = members_.absolute(action.peer);
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = action.kind == Action::Kind::send
                        ? native.Isend(message.address(), message.count(), message.datatype(), peer,
                                       action.tag, members_.channel, &request)
                        : native.Irecv(message.address(), message.count(), message.datatype(), peer,
                                       action.tag, members_.channel, &request);
  if (error != MPI_SUCCESS) return error;
  requests_.push_back(request);
  pending_.push_back({action.ticket, action.kind, peer, action.round});
  return MPI_SUCCESS;
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
    execution_.complete(
        pending_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])].ticket);
  }
  // Completed requests became null: close the gaps.
  if (completed > 0) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      pending_[kept] = pending_[i];
      ++kept;
    }
    requests_.resize(kept);
    pending_.resize(kept);
  }
  return MPI_SUCCESS;
}

// After a failure nothing may write into the user's buffer any more.
int Driver::release(int error) {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    if (pending_[i].kind != Action::Kind::send) native.Cancel(&requests_[i]);
    native.Request_free(&requests_[i]);
  }
  requests_.clear();
  pending_.clear();
  return error;
}

void Driver::report(const std::string& name) const {
  int rank = 0;
  native.Comm_rank(members_.channel, &rank);
  std::string text = "anabranch: watchdog: rank " + std::to_string(rank) + " of " +
                     std::to_string(members_.size) + " makes no progress in " + name + ", root " +
                     std::to_string(members_.root) + ":";
  for (const Pending& pending : pending_) {
    text += pending.kind == Action::Kind::send ? " sends to rank " : " receives from rank ";
    text += std::to_string(pending.peer) + " (round " + std::to_string(pending.round) + ")";
  }
  if (pending_.empty()) text += " nothing is under way";
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace anabranch::mpi
