// What is kept with each communicator of the user, as an attribute: it goes when the communicator
// and all requests of it are gone, and a duplicate starts afresh.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "execution/tags.hpp"
#include "mpi/decision_key.hpp"
#include "mpi/guard.hpp"
#include "mpi/late_ranks.hpp"
#include "mpi/pending_control.hpp"
#include "mpi/sorted_ranks.hpp"
#include "mpi/sum_beside.hpp"
#include "select/balance.hpp"
#include "select/decision.hpp"
#include "select/rivals.hpp"

namespace anabranch::mpi {

// What was decided, and of what problem.
struct Decided {
  Problem problem;
  Decision decision;
};

struct Communicator : std::enable_shared_from_this<Communicator> {
  enum class Channel : std::uint8_t { not_tried, open, refused };

  std::int32_t rank = 0;
  std::int32_t size = 1;
  bool is_inter = false;
  std::int64_t number = 0;  // alike on all ranks, for recordings; known with the channel
  std::int64_t served = 0;  // collectives that were served here
  // Calls that are native while nobody knows the network, before somebody looks: what that costs
  // is little beside them.
  static constexpr std::int64_t short_calls_until_look = Trial::least_between_rounds;
  std::int64_t short_calls = 0;    // until then
  std::uint32_t native_sums = 0;   // bits by Collective: sums came that are to keep their bits
  bool settings_compared = false;  // by start_on
  bool single_node = false;        // known once the channel is open

  // Private messages travel here. A split of the user's communicator: a duplicate would run the
  // user's attribute callbacks.
  Channel state = Channel::not_tried;
  MPI_Comm channel = MPI_COMM_NULL;
  TagSequence tags;
  PendingControl pending_control;
  // Known once the channel is open, and what follows from it.
  std::shared_ptr<const Places> places;
  NodeCounts nodes;
  PlannedTrees planned;

  Network network;  // the same on all ranks
  // Whether links between nodes were measured (link_probe.hpp); then the network's bandwidth is
  // that of the slowest, where they differ.
  bool links_known = false;
  bool links_differ = false;
  // Sums whose bits would change with the algorithm go on by what they began by, before links were
  // measured. Nothing: by the same as others.
  struct Known {
    Network network;
    PlannedTrees planned;
  };
  std::optional<Known> known_to_sums;
  bool has_decided_sums = false;  // such ones, on all ranks alike
  // For the same settings.
  struct Remembered {
    std::shared_ptr<const Decided> decided;
    GuardedClass* guarded = nullptr;  // null: nothing to guard
    SortedClass* sorted = nullptr;    // null: the choice does not ask in which order ranks come
    // For rivals of the choice that have served, null where one cannot.
    std::vector<std::pair<Rival, std::shared_ptr<const Decided>>> rivals;
    // Where the choice is not to wait for the late: what is chosen while nobody is, and whether
    // that is so in calls of this class. Null elsewhere.
    std::shared_ptr<const Decided> while_balanced;
    std::shared_ptr<Balance> balance;
  };
  using Decisions = std::unordered_map<DecisionKey, Remembered, HashOfDecisionKey>;
  Decisions decisions;
  Decisions::value_type* last_decision = nullptr;  // most calls are like the one before
  Guard guard;
  void forget_trials();
  // By class. How ranks come does not depend on settings, so they outlive a change of these.
  std::unordered_map<DecisionKey, std::shared_ptr<Balance>, HashOfDecisionKey> balances;
  SortedClasses sorted_classes;
  std::uint64_t settings_hash = 0;  // of those by which calls were decided
  // Functions and kinds of calls, of which the size is its class, and whether all ranks are
  // expected to come together; for the same settings.
  std::set<std::tuple<std::string_view, DecisionKey, bool>> explained;
  bool network_is_explained = false;
  std::map<const Algorithm*, LateRanks> late_ranks;  // for the same settings

  // One thread at a time works on the record and advances its requests.
  std::atomic_flag is_worked_on = ATOMIC_FLAG_INIT;

  // Whether the next collective's tags are free: nothing of an earlier one with the same is to
  // come.
  bool next_tag_is_free() const {
    return tags.next_is_free() &&
           !pending_control.expects(TagSequence::of_control(tags.upcoming()));
  }

  Communicator() = default;
  ~Communicator() { close(); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // Those that are under way, of guards and sorted ranks, which forget them.
  SumsBeside take_sums();
  // As `finish` (sum_beside.hpp).
  int finish_sums(std::optional<double> longest_s);

  // Takes in what will still come, and frees the channel. An MPI error code.
  int close() noexcept;
};

// While it lives, no other thread works on the record. Held across calls of MPI that do not wait.
class Working {
 public:
  explicit Working(Communicator& communicator) : communicator_(communicator) {
    while (communicator_.is_worked_on.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Working() { communicator_.is_worked_on.clear(std::memory_order_release); }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  Communicator& communicator_;
};

// The communicator's record, made at the first call. Null where the MPI refuses (the caller then
// leaves the call to the MPI, which reports what is wrong). `comm` must not be null.
Communicator* record_of(MPI_Comm comm);

// The library's own, of this process alone, where errors are only returned. It is there from
// MPI_Init to MPI_Finalize, else MPI_COMM_NULL.
MPI_Comm communicator_of_this_process();
// While no other thread may be in a collective of MPI_COMM_SELF.
void make_communicator_of_this_process();

// Opens the channel, together with all other ranks. On return all ranks agree on the state, the
// network and whether they share a node. An MPI error code for what the user's communicator failed
// in.
int open_channel(MPI_Comm comm, Communicator& communicator);

}  // namespace anabranch::mpi
