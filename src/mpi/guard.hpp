// The guard of a communicator: trials of its classes of calls (select/trial.hpp), timed here, and
// told to all ranks beside their calls.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/decision_key.hpp"
#include "mpi/waiting.hpp"
#include "select/rivals.hpp"
#include "select/trial.hpp"

namespace anabranch::mpi {

struct Communicator;

// Sums over all ranks of a communicator, formed while they go on.
class SumBeside {
 public:
  SumBeside() = default;
  SumBeside(const SumBeside&) = delete;
  SumBeside& operator=(const SumBeside&) = delete;

  bool is_under_way() const { return request_ != MPI_REQUEST_NULL; }
  // Must stay where it is until it is not under way any more. All return an MPI error code.
  int begin(std::span<const std::int64_t> own, MPI_Comm channel);
  int look();
  std::span<const std::int64_t> sums() const { return std::span(sums_).first(count_); }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  Trial::Times sums_{};
  std::size_t count_ = 0;
};

struct GuardedClass {
  // others: besides the choice, in the order of the trial.
  GuardedClass(std::string of_what, std::vector<Rival> others)
      : subject(std::move(of_what)), rivals(std::move(others)), trial(1 + rivals.size()) {}

  std::string subject;  // for explanations: "bcast of 1MiB to 2MiB"
  std::vector<Rival> rivals;
  Trial trial;
  SumBeside sum;
  // What a call is priced at, of the first one of the class, by contender. Times of calls of other
  // sizes are taken in proportion.
  std::vector<double> price_s;
};

class Guard {
 public:
  // The class of such calls; null until it is made, at the first of them.
  std::unique_ptr<GuardedClass>& class_of(const DecisionKey& key) { return classes_[key]; }
  // Trials begin anew; sums that are under way are still taken in.
  void forget();
  // Takes in what is under way, before the channel goes. Where a rank does not come within
  // `patience_s`, it leaves the rest where it is; 0: waits for ever.
  int finish(double patience_s);

 private:
  std::unordered_map<DecisionKey, std::unique_ptr<GuardedClass>, HashOfDecisionKey> classes_;
  std::vector<std::unique_ptr<GuardedClass>> forgotten_;  // whose sums are under way
};

// A call of a guarded class that is under way on this thread.
struct Turn {
  Communicator* communicator = nullptr;  // null: there is none
  GuardedClass* guarded = nullptr;
  double scale = 1;    // of its time to that of the first call of the class; 0: no such call
  double begin_s = 0;  // 0: it is not timed

  void end();
};
// From the decision until somebody takes it.
extern constinit thread_local Turn upcoming_turn;

// While it lives, the MPI serves the call whose turn came last.
class NativeTurn {
 public:
  NativeTurn() {
    if (upcoming_turn.communicator != nullptr) [[unlikely]]
      take();
  }
  ~NativeTurn() {
    if (turn_.communicator != nullptr) [[unlikely]]
      turn_.end();
  }
  NativeTurn(const NativeTurn&) = delete;
  NativeTurn& operator=(const NativeTurn&) = delete;

 private:
  void take();
  Turn turn_;
};

}  // namespace anabranch::mpi
