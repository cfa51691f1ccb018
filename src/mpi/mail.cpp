#include "mpi/mail.hpp"

#include <sched.h>

#include <utility>

#include "mpi/functions.hpp"

namespace anabranch::mpi {

void Mail::expect(std::int32_t count, std::int32_t tag, MPI_Request request,
                  std::vector<std::int32_t> words, std::int64_t bytes_each) {
  expected_.push_back({count, tag, request, std::move(words), bytes_each});
}

int Mail::take(Expected& expected, MPI_Comm channel, bool wait) {
  while (expected.count > 0) {
    int is_there = 1;
    if (expected.request == MPI_REQUEST_NULL) {
      const int error =
          native.Irecv(expected.words.data(), static_cast<int>(expected.words.size()), MPI_INT32_T,
                       MPI_ANY_SOURCE, expected.tag, channel, &expected.request);
      if (error != MPI_SUCCESS) return error;
    }
    if (const int error = native.Test(&expected.request, &is_there, MPI_STATUS_IGNORE)) {
      return error;
    }
    if (is_there) {
      --expected.count;
    } else if (wait) {
      sched_yield();
    } else {
      return MPI_SUCCESS;
    }
  }
  return MPI_SUCCESS;
}

int Mail::look(MPI_Comm channel) {
  for (auto expected = expected_.begin(); expected != expected_.end();) {
    if (const int error = take(*expected, channel, false)) return error;
    expected = expected->count == 0 ? expected_.erase(expected) : std::next(expected);
  }
  return MPI_SUCCESS;
}

int Mail::finish(MPI_Comm channel) {
  for (Expected& expected : expected_) {
    if (const int error = take(expected, channel, true)) return error;
  }
  expected_.clear();
  return MPI_SUCCESS;
}

std::int64_t Mail::pushed_bytes() const {
  std::int64_t bytes = 0;
  for (const Expected& expected : expected_) bytes += expected.count * expected.bytes_each;
  return bytes;
}

}  // namespace anabranch::mpi
