// Bine trees: binomial trees whose subtrees are ranges of the ring of ranks, laid by turns ahead of
// and behind the rank that they hang on, so that partners are near each other. On 2^q ranks the
// distances are (2^n - (-1)^n) / 3 = 1, 1, 3, 5, 11, .. where a binomial tree has 2^(n - 1): two
// thirds.
//
// On other counts the source's libraries refuse or fall back to other algorithms. Here each range
// is halved, so that any count takes ceil(log2 p) rounds. Source: De Sensi et al., Bine Trees, SC
// '25.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/scatter_allgather.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

class BineTree {
 public:
  explicit BineTree(std::int32_t ranks);

  // From the root down: the furthest partners, with the largest subtrees, first.
  std::int32_t rounds() const { return levels_; }
  // In which a rank other than the root receives from its parent.
  std::int32_t round_of(std::int32_t rank) const { return find(rank).round; }
  std::int32_t parent_of(std::int32_t rank) const { return find(rank).parent; }
  // Ranks of the subtree: that many from the first one. The root's begins at rank 0.
  std::int32_t first_of(std::int32_t rank) const { return find(rank).first; }
  std::int32_t subtree(std::int32_t rank) const { return find(rank).count; }

  // Calls visit(child), those with the largest subtrees first.
  template <typename Visit>
  void for_each_child(std::int32_t rank, Visit visit) const {
    for (const std::int32_t child : find(rank).children) visit(child);
  }

 private:
  struct Node {
    std::int32_t parent = -1;
    std::int32_t round = -1;
    std::int32_t first = 0;
    std::int32_t count = 1;
    std::vector<std::int32_t> children;
  };

  Node find(std::int32_t rank) const;

  std::int32_t ranks_;
  std::int32_t levels_;
};

// Chunks from the root to their ranks down the tree: ceil_log2(ranks) rounds from round 0.
void add_bine_scatter(Builder& builder, const Chunks& chunks, std::int32_t rank);

}  // namespace anabranch
