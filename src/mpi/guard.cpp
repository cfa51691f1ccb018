#include "mpi/guard.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/functions.hpp"
#include "mpi/requests.hpp"

namespace anabranch::mpi {

constinit thread_local Turn upcoming_turn;

int SumBeside::begin(std::span<const std::int64_t> own, MPI_Comm channel) {
  count_ = own.size();
  std::ranges::copy(own, sums_.begin());
  return native.Iallreduce(MPI_IN_PLACE, sums_.data(), static_cast<int>(count_), MPI_INT64_T,
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

void Guard::forget() {
  for (auto& [key, guarded] : classes_) {
    if (guarded != nullptr && guarded->sum.is_under_way()) forgotten_.push_back(std::move(guarded));
  }
  classes_.clear();
}

int Guard::finish(double patience_s) {
  forget();
  const double begin_s = now_s();
  while (true) {
    for (const auto& guarded : forgotten_) {
      if (const int error = guarded->sum.look()) return error;
    }
    std::erase_if(forgotten_, [](const auto& guarded) { return !guarded->sum.is_under_way(); });
    if (forgotten_.empty()) return MPI_SUCCESS;
    if (patience_s > 0 && now_s() - begin_s > patience_s) break;
    if (!advance_requests()) sched_yield();
  }
  // The MPI may still write to them.
  for (auto& guarded : forgotten_) static_cast<void>(guarded.release());
  forgotten_.clear();
  return MPI_SUCCESS;
}

void Turn::end() {
  const double took_s = begin_s > 0 ? now_s() - begin_s : 0;
  const Working working(*communicator);
  Trial& trial = guarded->trial;
  trial.end_call(took_s * scale);
  if (trial.is_to_be_told()) {
    // Where it fails, the MPI has failed on all ranks, and the next call says so.
    guarded->sum.begin(trial.own_times_ns(), communicator->channel);
  }
}

void NativeTurn::take() {
  turn_ = std::exchange(upcoming_turn, {});
  if (turn_.begin_s > 0) turn_.begin_s = now_s();
}

}  // namespace anabranch::mpi
