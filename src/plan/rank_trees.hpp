// The trees of a plan over the ranks of a communicator, and the schedules along them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.hpp"
#include "schedule/schedule.hpp"

namespace anabranch {

// Ranks are relative to the root, as in schedules.
struct RankTrees {
  struct Tree {
    std::vector<std::int32_t> parent;                 // by rank; -1 at the root
    std::vector<std::vector<std::int32_t>> children;  // by rank, in the order of sending
    std::vector<std::int32_t> depth;                  // by rank
  };
  std::int32_t ranks = 1;
  std::vector<Tree> trees;
  std::vector<std::int32_t> order;  // the tree of each slice of a period
  // Where the plan says which transfers go at the same time: in which round a rank receives each
  // slice of the first period, by place and rank (-1 at the root), and the rounds of a period.
  std::vector<std::vector<std::int64_t>> arrival;
  std::int64_t rounds = 0;

  std::int32_t depth() const;  // of the deepest rank in any tree
};

// node_of_rank: the plan's node by rank of the communicator. The plan is fitted to them: one rank
// of each node takes part for it and passes everything on to the node's other ranks, one after the
// other; nodes without ranks are left out, their children go to the node above them; and where the
// root is on another node than the plan's, the path between the two is turned round. The plan's
// rounds are kept where all of its nodes have ranks and the root is on its own.
RankTrees fit(const Plan& plan, std::span<const std::int32_t> node_of_rank, std::int32_t root);

// How many periods after its own the slices of a period are everywhere, at most: as many as the
// rounds say, or else one at each hop but the first.
std::int64_t laps_of(const RankTrees& trees);

// What a rank (relative to the root) does in the broadcast of so many slices.
Schedule tree_schedule(const RankTrees& trees, std::int32_t rank, std::int32_t slices);

}  // namespace anabranch
