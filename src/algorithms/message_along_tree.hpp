// A whole message down a tree: what broadcasts along such trees have in common.
#pragma once

#include <cstdint>

#include "algorithms/group.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

// Each rank sends what it has from its parent to its children, one after the other. Others wait for
// what a child passes on.
template <typename Tree>
Schedule message_down(const Tree& tree, const Group& group, std::int32_t block_count) {
  const std::int32_t rank = group.rank;
  const BlockSet message = blocks(0, block_count);
  Builder builder(group.ranks, rank, tree.rounds(), block_count);
  if (rank != 0) builder.receive(tree.round_of(rank), tree.parent_of(rank), message);
  tree.for_each_child(rank, [&](std::int32_t child) {
    builder.send(tree.round_of(child), child, message);
    if (tree.subtree(child) > 1) builder.go_alone();
  });
  return std::move(builder).finish();
}

}  // namespace anabranch
