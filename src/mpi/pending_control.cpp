#include "mpi/pending_control.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "mpi/functions.hpp"
#include "mpi/requests.hpp"

namespace anabranch::mpi {

int take_control_message(MPI_Comm channel, std::int32_t tag, std::vector<std::int32_t>& control,
                         std::int32_t& sender) {
  int is_there = 0;
  int count = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  sender = -1;
  int error = native.Improbe(MPI_ANY_SOURCE, tag, channel, &is_there, &message, &status);
  if (error != MPI_SUCCESS || !is_there) return error;
  error = native.Get_count(&status, MPI_INT32_T, &count);
  if (error != MPI_SUCCESS) return error;
  control.resize(static_cast<std::size_t>(count));
  error = native.Mrecv(control.data(), count, MPI_INT32_T, &message, MPI_STATUS_IGNORE);
  sender = status.MPI_SOURCE;
  return error;
}

void PendingControl::expect(std::int32_t count, std::int32_t tag, std::int64_t bytes_each) {
  if (count > 0) expected_.push_back({count, tag, bytes_each});
}

bool PendingControl::expects(std::int32_t tag) const {
  return std::ranges::find(expected_, tag, &Expected::tag) != expected_.end();
}

int PendingControl::look(MPI_Comm channel) {
  std::vector<std::int32_t> control;
  for (auto expected = expected_.begin(); expected != expected_.end();) {
    std::int32_t sender = 0;
    while (expected->count > 0) {
      if (const int error = take_control_message(channel, expected->tag, control, sender))
        return error;
      if (sender < 0) break;
      --expected->count;
    }
    expected = expected->count == 0 ? expected_.erase(expected) : std::next(expected);
  }
  return MPI_SUCCESS;
}

int PendingControl::finish(MPI_Comm channel, const Waiting& waiting, int rank, int size) {
  int error = MPI_SUCCESS;
  const auto goes_on = [&] {
    error = look(channel);
    return error == MPI_SUCCESS && !expected_.empty();
  };
  // Others may wait for what requests send.
  advance_while(waiting, goes_on, advance_requests, [&] { tell(rank, size); });
  return error;
}

void PendingControl::tell(int rank, int size) const {
  std::int32_t most = 0;
  for (const Expected& expected : expected_) most = std::max(most, expected.count);
  std::fprintf(stderr,
               "anabranch: watchdog: rank %d of %d frees a communicator: %d ranks have not come to "
               "a collective on it that this one has left\n",
               rank, size, most);
}

std::int64_t PendingControl::pushed_bytes() const {
  std::int64_t bytes = 0;
  for (const Expected& expected : expected_) bytes += expected.count * expected.bytes_each;
  return bytes;
}

}  // namespace anabranch::mpi
