#include "mpi/sum_beside.hpp"

#include <sched.h>

#include "mpi/functions.hpp"
#include "mpi/requests.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {

int SumBeside::begin(std::span<const std::int64_t> own, MPI_Comm channel) {
  sums_.assign(own.begin(), own.end());
  return native.Iallreduce(MPI_IN_PLACE, sums_.data(), static_cast<int>(sums_.size()), MPI_INT64_T,
                           MPI_SUM, channel, &request_);
}

int SumBeside::look() {
  if (!is_under_way()) return MPI_SUCCESS;
  int completed = 0;
  int index = 0;
  MPI_Status status;
  const int error = native.Testsome(1, &request_, &completed, &index, &status);
  return error == MPI_ERR_IN_STATUS ? status.MPI_ERROR : error;
}

int finish(SumsBeside sums, double patience_s) {
  const double begin_s = now_s();
  int error = MPI_SUCCESS;
  while (error == MPI_SUCCESS) {
    for (const auto& sum : sums) {
      if (error == MPI_SUCCESS) error = sum->look();
    }
    std::erase_if(sums, [](const auto& sum) { return !sum->is_under_way(); });
    if (sums.empty() || (patience_s > 0 && now_s() - begin_s > patience_s)) break;
    if (!advance_requests()) sched_yield();
  }
  // The MPI may still write to those that are left.
  for (auto& sum : sums) static_cast<void>(sum.release());
  return error;
}

}  // namespace anabranch::mpi
