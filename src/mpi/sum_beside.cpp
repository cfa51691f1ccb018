#include "mpi/sum_beside.hpp"

#include "mpi/functions.hpp"
#include "mpi/requests.hpp"

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

int finish(SumsBeside sums, const Waiting& waiting, std::optional<double> patience_s,
           const std::function<void()>& tell) {
  const double begin_s = now_s();
  int error = MPI_SUCCESS;
  const auto goes_on = [&] {
    for (const auto& sum : sums) {
      if (error == MPI_SUCCESS) error = sum->look();
    }
    std::erase_if(sums, [](const auto& sum) { return !sum->is_under_way(); });
    const bool is_too_late = patience_s && now_s() - begin_s > *patience_s;
    return error == MPI_SUCCESS && !sums.empty() && !is_too_late;
  };
  advance_while(waiting, goes_on, advance_requests, tell);
  // The MPI may still write to those that are left.
  for (auto& sum : sums) static_cast<void>(sum.release());
  return error;
}

}  // namespace anabranch::mpi
