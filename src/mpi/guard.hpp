// The guard of a communicator: trials of its classes of calls (select/trial.hpp), timed here, and
// told to all ranks beside their calls.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/decision_key.hpp"
#include "mpi/sorted_ranks.hpp"
#include "mpi/sum_beside.hpp"
#include "mpi/waiting.hpp"
#include "select/balance.hpp"
#include "select/rivals.hpp"
#include "select/trial.hpp"

namespace anabranch::mpi {

struct Communicator;

struct GuardedClass {
  // others: besides the choice, in the order of the trial.
  GuardedClass(std::string of_what, std::vector<Rival> others, std::int64_t calls_a_turn)
      : subject(std::move(of_what)),
        rivals(std::move(others)),
        trial(1 + rivals.size(), calls_a_turn) {}

  std::string subject;  // for explanations: "bcast of 1MiB to 2MiB"
  std::vector<Rival> rivals;
  Trial trial;
  std::unique_ptr<SumBeside> sum = std::make_unique<SumBeside>();
  // What a call is priced at, of the first one of the class, by contender. Times of calls of other
  // sizes are taken in proportion.
  std::vector<double> price_s;
};

class Guard {
 public:
  // The class of such calls; null until it is made, at the first of them.
  std::unique_ptr<GuardedClass>& class_of(const DecisionKey& key) { return classes_[key]; }
  // Trials begin anew; sums that are under way are still to be taken in.
  void forget();
  // It forgets, and leaves these to the caller.
  SumsBeside take_sums();

 private:
  std::unordered_map<DecisionKey, std::unique_ptr<GuardedClass>, HashOfDecisionKey> classes_;
  SumsBeside forgotten_;  // under way
};

// A call that is under way on this thread, whose end somebody has to learn of. One that the MPI
// refuses for its arguments does not count: the program may make it once more, as the other ranks
// made it once.
struct Turn {
  Communicator* communicator = nullptr;  // null: there is none
  bool is_short = false;                 // native while nobody knows the network
  std::uint32_t native_sum = 0;          // its bit in Communicator::native_sums
  Balance* passed = nullptr;             // where no rank was expected to come late, else null
  GuardedClass* guarded = nullptr;       // null: it is of none
  const Balance* looks = nullptr;        // where the call tells whether ranks come late, else null
  // By what its time counts: its weight in sums, and the first call of the class may have been
  // longer or shorter. 0: it does not.
  double scale = 1;
  double begin_s = 0;             // 0: it is not timed
  SortedClass* sorted = nullptr;  // null: it is of none
  double came_s = 0;

  void end();
};
// From the decision until somebody takes it.
extern constinit thread_local Turn upcoming_turn;

// The MPI serves the call whose turn came last.
class NativeTurn {
 public:
  NativeTurn() {
    if (upcoming_turn.communicator != nullptr) [[unlikely]]
      take();
  }
  // The MPI has returned that error code.
  void end(int error) {
    if (turn_.communicator != nullptr) [[unlikely]]
      end_unless_refused(error);
  }

 private:
  void take();
  void end_unless_refused(int error);
  Turn turn_;
};

}  // namespace anabranch::mpi
