#include "mpi/transport.hpp"

#include <new>

#include "mpi/functions.hpp"

namespace anabranch::mpi {

int Transport::send(const Message& message, bool is_synchronous, Pending pending) {
  const auto send = is_synchronous ? native.Issend : native.Isend;
  make_room();
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = send(message.address(), message.count(), message.datatype(), pending.peer,
                         pending.tag, group_.channel, &request);
  if (error == MPI_SUCCESS) post(request, std::move(pending));
  return error;
}

int Transport::receive(const Message& message, Pending pending) {
  make_room();
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = native.Irecv(message.address(), message.count(), message.datatype(),
                                 pending.peer, pending.tag, group_.channel, &request);
  if (error == MPI_SUCCESS) post(request, std::move(pending));
  return error;
}

// The control messages stay where they are when `pending` is moved.
int Transport::send_control(Pending pending) {
  make_room();
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = native.Isend(pending.control.data(), static_cast<int>(pending.control.size()),
                                 MPI_INT32_T, pending.peer, pending.tag, group_.channel, &request);
  if (error == MPI_SUCCESS) post(request, std::move(pending));
  return error;
}

int Transport::receive_control(Pending pending, std::int32_t max_control_length) {
  make_room();
  pending.control.resize(static_cast<std::size_t>(max_control_length));
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = native.Irecv(pending.control.data(), max_control_length, MPI_INT32_T,
                                 pending.peer, pending.tag, group_.channel, &request);
  if (error == MPI_SUCCESS) post(request, std::move(pending));
  return error;
}

int Transport::test(int& completed) {
  const std::size_t count = requests_.size();
  indices_.resize(count);
  statuses_.resize(count);
  int error = native.Testsome(static_cast<int>(count), requests_.data(), &completed,
                              indices_.data(), statuses_.data());
  if (completed == MPI_UNDEFINED) completed = 0;
  if (error != MPI_ERR_IN_STATUS) return error;
  for (int i = 0; i < completed; ++i) {
    const int of_one = statuses_[static_cast<std::size_t>(i)].MPI_ERROR;
    if (of_one != MPI_SUCCESS) error = of_one;
  }
  return error;
}

// Completed requests became null.
void Transport::close_gaps() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    if (kept != i) pending_[kept] = std::move(pending_[i]);
    ++kept;
  }
  requests_.resize(kept);
  pending_.resize(kept);
}

// Before a request is made: what comes after must not fail.
void Transport::make_room() {
  constexpr std::size_t usual = 32;
  if (requests_.size() == requests_.capacity()) requests_.reserve(2 * requests_.size() + usual);
  if (pending_.size() == pending_.capacity()) pending_.reserve(2 * pending_.size() + usual);
}

void Transport::post(MPI_Request request, Pending pending) {
  if (is_recorded_) pending.begin_s = wall_s();
  requests_.push_back(request);
  pending_.push_back(std::move(pending));
}

bool Transport::release() noexcept {
  if (requests_.empty()) return true;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    const bool receives = pending_[i].kind == Action::Kind::receive ||
                          pending_[i].kind == Action::Kind::receive_control;
    if (receives) native.Cancel(&requests_[i]);
    native.Request_free(&requests_[i]);
  }
  static_cast<void>(new (std::nothrow)
                        std::vector<Pending>(std::move(pending_)));  // its control messages
  requests_.clear();
  pending_.clear();
  return false;
}

}  // namespace anabranch::mpi
