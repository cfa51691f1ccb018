// Blocks on their way: sent, received, combined.
#include <algorithm>

#include "evidence/evidence.hpp"
#include "mpi/driver.hpp"
#include "mpi/functions.hpp"
#include "mpi/reduction.hpp"
#include "mpi/sized_messages.hpp"

namespace anabranch::mpi {

void Driver::find_iovecs(const Action& action) {
  iovecs_.clear();
  driven_.memory.add_iovecs(action.block_sets, action.block_shift, iovecs_);
}

int Driver::start_send(const Action& action) {
  find_iovecs(action);
  BlockMemory& memory = driven_.memory;
  if (sized_receives_.has_header(action)) {
    add_header(memory, sized_receives_.header_content(action), action.block_sets,
               action.block_shift, iovecs_);
  } else if (iovecs_.empty()) {  // both ends know that the blocks are empty
    driven_.execution.complete(action.ticket);
    return MPI_SUCCESS;
  }
  const std::int64_t size_bytes = count_of(iovecs_) * memory.element().size_bytes;
  if (action.is_exclusive && action.completes_at_peer(size_bytes)) {
    if (const int error = join_iovecs(action.tag)) return error;
  }
  const Message message(iovecs_, memory.element());
  if (message.error() != MPI_SUCCESS) return message.error();
  return transport_.send(message, action.completes_at_peer(size_bytes),
                         pending_of(action, size_bytes));
}

// MPICH over UCX counts a message of several iovecs as received once the first of them is.
int Driver::join_iovecs(std::int32_t tag) {
  if (iovecs_.size() < 2) return MPI_SUCCESS;
  BlockMemory& memory = driven_.memory;
  const std::int64_t count = count_of(iovecs_);
  const Iovec whole{memory.temporary().take(count, memory.element()), count};
  const std::vector<Iovec> to(1, whole);
  const int error = copy_iovecs(iovecs_, to, memory.element(), driven_.group.channel, tag);
  iovecs_ = to;
  return error;
}

int Driver::start_receive(const Action& action) {
  find_iovecs(action);
  if (iovecs_.empty()) {
    driven_.execution.complete(action.ticket);
    return MPI_SUCCESS;
  }
  if (action.kind == Action::Kind::receive_bounce) use_bounce_buffer(action.ticket);
  const Message message(iovecs_, driven_.memory.element());
  if (message.error() != MPI_SUCCESS) return message.error();
  const std::int64_t size_bytes = count_of(iovecs_) * driven_.memory.element().size_bytes;
  return transport_.receive(message, pending_of(action, size_bytes));
}

// Instead of the iovecs, memory under the ticket for as many elements.
void Driver::use_bounce_buffer(Ticket ticket) {
  BlockMemory& memory = driven_.memory;
  const std::int64_t count = count_of(iovecs_);
  if (ticket >= bounce_buffers_.size()) bounce_buffers_.resize(ticket + 1);
  BounceBuffer& temporary = bounce_buffers_[ticket];
  if (temporary.room < count) {
    temporary = {memory.temporary().take(count, memory.element()), count};
  }
  iovecs_.assign(1, {temporary.address, count});
}

int Driver::reduce_locally(const Action& action) {
  find_iovecs(action);
  if (!iovecs_.empty()) {
    const bool are_ours = std::ranges::all_of(
        action.block_sets, [](const BlockSet& set) { return set.buffer == Buffer::scratch; });
    const int error =
        combine(iovecs_, bounce_buffers_[action.ticket].address, action.order,
                driven_.memory.element(), driven_.op, are_ours, driven_.group.channel, action.tag);
    if (error != MPI_SUCCESS) return error;
  }
  driven_.execution.complete(action.ticket);
  return MPI_SUCCESS;
}

int Driver::copy(const Action& action) {
  BlockMemory& memory = driven_.memory;
  const MPI_Comm channel = driven_.group.channel;
  if (!action.combines) {
    if (const int error =
            copy_blocks(action.sources, action.block_sets, memory, channel, action.tag)) {
      return error;
    }
  } else if (find_iovecs(action); !iovecs_.empty()) {
    const std::vector<Iovec> mine = iovecs_;
    iovecs_.clear();
    memory.add_iovecs(action.sources, 0, iovecs_);
    if (count_of(iovecs_) != count_of(mine)) return MPI_ERR_TRUNCATE;
    if (const int error = join_iovecs(action.tag)) return error;
    constexpr auto order = OperandOrder::theirs_first;
    if (const int error = combine(mine, iovecs_.front().address, order, memory.element(),
                                  driven_.op, false, channel, action.tag)) {
      return error;
    }
  }
  driven_.execution.complete(action.ticket);
  return MPI_SUCCESS;
}

// If it is there.
int Driver::receive_sized_message(const Action& action, bool& is_there) {
  Pending pending = pending_of(action, 0);
  pending.content = sized_receives_.header_content(action);
  if (sized_receives_.take_first(pending.peer, pending.sized)) {
    is_there = true;
    pending.size_bytes = pending.sized.count;
    pending.begin_s = sized_receives_.begin_s();
    return finish(pending, {});
  }
  is_there = false;
  return transport_.take_over(std::move(pending), [&](MPI_Request& request, Pending& of) {
    Found found;
    const int error =
        receive_sized(driven_.memory, driven_.group.channel, of.peer, action.tag, found);
    is_there = found.request != MPI_REQUEST_NULL;
    of.sized = found.message;
    of.size_bytes = of.sized.count;
    request = found.request;
    return error;
  });
}

Pending Driver::pending_of(const Action& action, std::int64_t size_bytes) const {
  const bool sends = action.kind == Action::Kind::send;
  Pending pending{.ticket = action.ticket,
                  .kind = sends ? Action::Kind::send : Action::Kind::receive,
                  .peer = driven_.group.absolute(action.peer),
                  .tag = action.tag,
                  .round = action.round,
                  .may_end = action.may_end,
                  .size_bytes = size_bytes};
  pending.block_sets = action.block_sets;
  pending.shift = action.block_shift;
  return pending;
}

}  // namespace anabranch::mpi
