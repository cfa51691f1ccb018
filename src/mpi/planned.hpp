// Broadcasts of a communicator along the trees of a plan.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "plan/rank_trees.hpp"

namespace anabranch::mpi {

class Planned {
 public:
  // All ranks together. Afterwards `trees()` says on all of them alike whether the plan knows the
  // hosts of all; where it does not, the first rank says which is missing. An MPI error code.
  int find_hosts(std::shared_ptr<const Plan> plan, MPI_Comm channel, std::int32_t rank);

  // No slices where the plan does not know the hosts.
  PlannedTrees trees() const;

  // What this rank does in a broadcast from `root`; both are ranks of the communicator.
  std::shared_ptr<const Schedule> schedule(std::int32_t root, std::int32_t rank,
                                           std::int32_t slices);
  Window window(const Window& usual) const;

 private:
  using Key = std::pair<std::int32_t, std::int32_t>;  // root, slices
  std::shared_ptr<const Plan> plan_;
  std::vector<std::int32_t> node_of_rank_;  // empty: the plan does not know them
  std::map<Key, std::shared_ptr<const Schedule>> schedules_;
};

}  // namespace anabranch::mpi
