// What the collectives of a run took, by function and algorithm, printed when it ends:
// ANABRANCH_SUMMARY.
#pragma once

#include <atomic>

#include "mpi/call.hpp"
#include "select/decision.hpp"

namespace anabranch::mpi {

// From MPI_Init to MPI_Finalize, where the setting is on.
extern constinit std::atomic<bool> counts_calls;

// Begins to count where the setting is on; together with all ranks of MPI_COMM_WORLD, which have
// the same settings. The summary is printed when MPI_Finalize begins.
void start_summary();

// A call that is under way, to be counted when it ends.
class CountedCall {
 public:
  explicit CountedCall(const Call& call);
  ~CountedCall();
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

  void end(int error) noexcept;
  void note(const Decision& decision);

  // Of this thread. Calls within it, of tools beneath and of the MPI itself, are part of it.
  static constinit thread_local CountedCall* under_way;

 private:
  const Call& call_;
  double begin_s_;
  const Algorithm* algorithm_ = nullptr;  // null: left to the MPI
  double predicted_s_ = 0;                // 0: not known
  double native_s_ = 0;
};

// Does the work of a call, counted if calls are.
template <typename Work>
int counted(const Call& call, Work work) {
  if (!counts_calls.load(std::memory_order_relaxed) || CountedCall::under_way != nullptr) [[likely]]
    return work();
  CountedCall one(call);
  const int error = work();
  one.end(error);
  return error;
}

// The call that is under way was served here.
inline void note_served(const Decision& decision) {
  if (CountedCall::under_way != nullptr) CountedCall::under_way->note(decision);
}

}  // namespace anabranch::mpi
