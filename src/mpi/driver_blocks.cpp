// Blocks on their way: sent, received, combined.
#include <algorithm>

#include "evidence/evidence.hpp"
#include "mpi/driver.hpp"
#include "mpi/functions.hpp"
#include "mpi/reduction.hpp"

namespace anabranch::mpi {
void Driver::find_pieces(const Action& action) {
  pieces_.clear();
  memory_.add_pieces(action.parts, action.block_shift, pieces_);
}

int Driver::start_send(const Action& action) {
  find_pieces(action);
  if (has_header(action)) {
    add_header(memory_, telling_of(action), action.parts, action.block_shift, pieces_);
  } else if (pieces_.empty()) {  // both ends know that the blocks are empty
    execution_.complete(action.ticket);
    return MPI_SUCCESS;
  }
  const std::int64_t size_bytes = count_of(pieces_) * memory_.unit().size_bytes;
  const bool is_long_and_alone = action.is_alone && size_bytes > tuned::exclusive_send.value;
  if (is_long_and_alone) {
    if (const int error = join_pieces(action.tag)) return error;
  }
  const Message message(pieces_, memory_.unit());
  if (message.error() != MPI_SUCCESS) return message.error();
  const int peer = members_.absolute(action.peer);
  const auto send = action.is_synchronous || is_long_and_alone ? native.Issend : native.Isend;
  MPI_Request request = MPI_REQUEST_NULL;
  make_room();
  const int error = send(message.address(), message.count(), message.datatype(), peer, action.tag,
                         members_.channel, &request);
  if (error == MPI_SUCCESS) post(request, pending_of(action));
  return error;
}

// MPICH over UCX counts a message of several pieces as received once the first part of it is.
int Driver::join_pieces(std::int32_t tag) {
  if (pieces_.size() < 2) return MPI_SUCCESS;
  const std::int64_t count = count_of(pieces_);
  const Piece whole{memory_.temporary().take(count, memory_.unit()), count};
  const std::vector<Piece> to(1, whole);
  const int error = copy_pieces(pieces_, to, memory_.unit(), members_.channel, tag);
  pieces_ = to;
  return error;
}

int Driver::start_receive(const Action& action) {
  find_pieces(action);
  if (pieces_.empty()) {
    execution_.complete(action.ticket);
    return MPI_SUCCESS;
  }
  if (action.kind == Action::Kind::receive_temporary) use_temporary(action.ticket);
  const Message message(pieces_, memory_.unit());
  if (message.error() != MPI_SUCCESS) return message.error();
  MPI_Request request = MPI_REQUEST_NULL;
  make_room();
  const int error =
      native.Irecv(message.address(), message.count(), message.datatype(),
                   members_.absolute(action.peer), action.tag, members_.channel, &request);
  if (error == MPI_SUCCESS) post(request, pending_of(action));
  return error;
}

// Instead of the pieces, memory under the ticket for as many units.
void Driver::use_temporary(Ticket ticket) {
  const std::int64_t count = count_of(pieces_);
  if (ticket >= temporaries_.size()) temporaries_.resize(ticket + 1);
  Temporary& temporary = temporaries_[ticket];
  if (temporary.room < count) {
    temporary = {memory_.temporary().take(count, memory_.unit()), count};
  }
  pieces_.assign(1, {temporary.address, count});
}

int Driver::finish_combining(const Action& action) {
  find_pieces(action);
  if (!pieces_.empty()) {
    const bool are_ours = std::ranges::all_of(
        action.parts, [](const BlockSet& part) { return part.buffer == Buffer::scratch; });
    const int error = combine(pieces_, temporaries_[action.ticket].address, action.order,
                              memory_.unit(), operation_, are_ours, members_.channel, action.tag);
    if (error != MPI_SUCCESS) return error;
  }
  execution_.complete(action.ticket);
  return MPI_SUCCESS;
}

Telling Driver::telling_of(const Action& action) const {
  Telling telling{.total_bytes = std::nullopt, .has_sizes = action.carries_sizes};
  if (lead_ != nullptr) telling.total_bytes = lead_->total_bytes;
  return telling;
}

bool Driver::waits_for_header(std::int32_t peer) const {
  return std::ranges::find(not_yet_received_, peer, &Action::peer) != not_yet_received_.end();
}

// Takes in messages that begin with a header. Receives that follow from the same peer are posted
// afterwards, or they would take such a message.
int Driver::look_for_headers(int& completed) {
  for (std::size_t i = 0; i < not_yet_received_.size();) {
    const Action action = not_yet_received_[i];
    const auto end = not_yet_received_.begin() + static_cast<std::ptrdiff_t>(i);
    bool is_started = std::find_if(not_yet_received_.begin(), end, [&](const Action& earlier) {
                        return earlier.peer == action.peer;
                      }) == end;
    if (is_started) {
      const int error =
          has_header(action) ? take_message(action, is_started) : start_receive(action);
      if (error != MPI_SUCCESS) return error;
    }
    if (!is_started) {
      ++i;
      continue;
    }
    ++completed;
    not_yet_received_.erase(end);
  }
  return MPI_SUCCESS;
}

// If it is there.
int Driver::take_message(const Action& action, bool& is_there) {
  Pending pending = pending_of(action);
  pending.telling = telling_of(action);
  if (lead_ != nullptr && lead_->first_peer == pending.peer && !first_is_taken_) {
    first_is_taken_ = is_there = true;
    pending.sized = lead_->first;
    pending.size_bytes = pending.sized.count;
    pending.begin_s = lead_->begin_s;
    return finish(pending, {});
  }
  Found found;
  make_room();
  const int error = receive_sized(memory_, members_.channel, pending.peer, action.tag, found);
  is_there = found.request != MPI_REQUEST_NULL;
  if (error != MPI_SUCCESS || !is_there) return error;
  pending.sized = found.message;
  pending.size_bytes = pending.sized.count;
  post(found.request, std::move(pending));
  return MPI_SUCCESS;
}

Driver::Pending Driver::pending_of(const Action& action) const {
  const bool sends = action.kind == Action::Kind::send;
  Pending pending{.ticket = action.ticket,
                  .kind = sends ? Action::Kind::send : Action::Kind::receive,
                  .peer = members_.absolute(action.peer),
                  .tag = action.tag,
                  .round = action.round,
                  .may_end = action.may_end,
                  .size_bytes = count_of(pieces_) * memory_.unit().size_bytes};
  pending.parts = action.parts;
  pending.shift = action.block_shift;
  return pending;
}

// Before a request is made: what comes after must not fail.
void Driver::make_room() {
  constexpr std::size_t usual = 32;
  if (requests_.size() == requests_.capacity()) requests_.reserve(2 * requests_.size() + usual);
  if (pending_.size() == pending_.capacity()) pending_.reserve(2 * pending_.size() + usual);
}

void Driver::post(MPI_Request request, Pending pending) {
  if (recording_ != nullptr) pending.begin_s = wall_s();
  requests_.push_back(request);
  pending_.push_back(std::move(pending));
}

}  // namespace anabranch::mpi
