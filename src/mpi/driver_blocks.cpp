// Blocks on their way: sent, received, combined.
#include <algorithm>

#include "evidence/evidence.hpp"
#include "mpi/driver.hpp"
#include "mpi/functions.hpp"
#include "mpi/reduction.hpp"

namespace anabranch::mpi {

void Driver::find_pieces(const Action& action) {
  pieces_.clear();
  driven_.memory.add_pieces(action.parts, action.block_shift, pieces_);
}

int Driver::start_send(const Action& action) {
  find_pieces(action);
  BlockMemory& memory = driven_.memory;
  if (sized_receives_.has_header(action)) {
    add_header(memory, sized_receives_.telling_of(action), action.parts, action.block_shift,
               pieces_);
  } else if (pieces_.empty()) {  // both ends know that the blocks are empty
    driven_.execution.complete(action.ticket);
    return MPI_SUCCESS;
  }
  const std::int64_t size_bytes = count_of(pieces_) * memory.element().size_bytes;
  if (action.is_alone && action.completes_at_peer(size_bytes)) {
    if (const int error = join_pieces(action.tag)) return error;
  }
  const Message message(pieces_, memory.element());
  if (message.error() != MPI_SUCCESS) return message.error();
  return transport_.send(message, action.completes_at_peer(size_bytes),
                         pending_of(action, size_bytes));
}

// MPICH over UCX counts a message of several pieces as received once the first part of it is.
int Driver::join_pieces(std::int32_t tag) {
  if (pieces_.size() < 2) return MPI_SUCCESS;
  BlockMemory& memory = driven_.memory;
  const std::int64_t count = count_of(pieces_);
  const Piece whole{memory.temporary().take(count, memory.element()), count};
  const std::vector<Piece> to(1, whole);
  const int error = copy_pieces(pieces_, to, memory.element(), driven_.members.channel, tag);
  pieces_ = to;
  return error;
}

int Driver::start_receive(const Action& action) {
  find_pieces(action);
  if (pieces_.empty()) {
    driven_.execution.complete(action.ticket);
    return MPI_SUCCESS;
  }
  if (action.kind == Action::Kind::receive_temporary) use_temporary(action.ticket);
  const Message message(pieces_, driven_.memory.element());
  if (message.error() != MPI_SUCCESS) return message.error();
  const std::int64_t size_bytes = count_of(pieces_) * driven_.memory.element().size_bytes;
  return transport_.receive(message, pending_of(action, size_bytes));
}

// Instead of the pieces, memory under the ticket for as many elements.
void Driver::use_temporary(Ticket ticket) {
  BlockMemory& memory = driven_.memory;
  const std::int64_t count = count_of(pieces_);
  if (ticket >= temporaries_.size()) temporaries_.resize(ticket + 1);
  Temporary& temporary = temporaries_[ticket];
  if (temporary.room < count) {
    temporary = {memory.temporary().take(count, memory.element()), count};
  }
  pieces_.assign(1, {temporary.address, count});
}

int Driver::finish_combining(const Action& action) {
  find_pieces(action);
  if (!pieces_.empty()) {
    const bool are_ours = std::ranges::all_of(
        action.parts, [](const BlockSet& part) { return part.buffer == Buffer::scratch; });
    const int error = combine(pieces_, temporaries_[action.ticket].address, action.order,
                              driven_.memory.element(), driven_.operation, are_ours,
                              driven_.members.channel, action.tag);
    if (error != MPI_SUCCESS) return error;
  }
  driven_.execution.complete(action.ticket);
  return MPI_SUCCESS;
}

// If it is there.
int Driver::receive_sized_message(const Action& action, bool& is_there) {
  Pending pending = pending_of(action, 0);
  pending.telling = sized_receives_.telling_of(action);
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
        receive_sized(driven_.memory, driven_.members.channel, of.peer, action.tag, found);
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
                  .peer = driven_.members.absolute(action.peer),
                  .tag = action.tag,
                  .round = action.round,
                  .may_end = action.may_end,
                  .size_bytes = size_bytes};
  pending.parts = action.parts;
  pending.shift = action.block_shift;
  return pending;
}

}  // namespace anabranch::mpi
