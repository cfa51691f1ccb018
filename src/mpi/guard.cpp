#include "mpi/guard.hpp"

#include <utility>

#include "mpi/checks.hpp"
#include "mpi/communicator.hpp"

namespace anabranch::mpi {

constinit thread_local Turn upcoming_turn;

void Guard::forget() {
  for (auto& [key, guarded] : classes_) {
    if (guarded != nullptr && guarded->sum->is_under_way()) {
      forgotten_.push_back(std::move(guarded->sum));
    }
  }
  classes_.clear();
  std::erase_if(forgotten_,
                [](const auto& sum) { return sum->look() != MPI_SUCCESS || !sum->is_under_way(); });
}

SumsBeside Guard::take_sums() {
  forget();
  return std::exchange(forgotten_, {});
}

void Turn::end() {
  const double took_s = begin_s > 0 ? now_s() - begin_s : 0;
  const Working working(*communicator);
  if (is_short) ++communicator->short_calls;
  communicator->native_sums |= native_sum;
  if (passed != nullptr) passed->passed();
  if (sorted != nullptr) sorted->end_call(now_s() - came_s, *communicator);
  if (guarded == nullptr) return;
  Trial& trial = guarded->trial;
  trial.end_call(took_s * scale, looks == nullptr || looks->late_in_a_row() == 0);
  if (trial.is_to_be_told()) {
    // Where it fails, the MPI has failed on all ranks, and the next call says so.
    guarded->sum->begin(trial.own_times_ns(), communicator->channel);
  }
}

void NativeTurn::take() {
  turn_ = std::exchange(upcoming_turn, {});
  if (turn_.begin_s > 0) turn_.begin_s = now_s();
}

void NativeTurn::end_unless_refused(int error) {
  if (!is_for_arguments(error)) turn_.end();
}

}  // namespace anabranch::mpi
