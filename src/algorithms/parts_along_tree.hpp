// Parts of all ranks up or down a tree of a radix k: radix 2 is the binomial tree. What the gathers
// and scatters along such trees have in common.
#pragma once

#include <cstdint>

#include "algorithms/algorithm.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

struct PartsAlongTree {
  std::int64_t radix = 2;
  bool carries_sizes = false;  // messages to and from ranks that pass parts on tell their sizes
};

// Each rank takes the parts of its subtrees, one subtree after the other, then sends all on.
Schedule gather_along_tree(const Group& group, std::int32_t block_count, const PartsAlongTree& how);
// The way back: each rank sends to its children the parts of their subtrees, the largest one first.
Schedule scatter_along_tree(const Group& group, std::int32_t block_count,
                            const PartsAlongTree& how);

// Algorithm::cost_s of these, s.
double gather_along_tree_s(const Problem& problem, const PartsAlongTree& how);
double scatter_along_tree_s(const Problem& problem, const PartsAlongTree& how);

}  // namespace anabranch
