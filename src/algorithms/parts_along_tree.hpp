// Parts of all ranks up or down a tree of a radix k: radix 2 is the binomial tree. What the gathers
// and scatters along such trees have in common.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algorithms/algorithm.hpp"
#include "algorithms/scatter_allgather.hpp"
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

// The chunks of a rank's subtree in a tree whose subtrees are ranges of ranks.
template <typename Tree>
BlockSet chunks_below(const Chunks& chunks, const Tree& tree, std::int32_t rank) {
  const std::int64_t first = tree.first_of(rank);
  return chunks.range(first, first + tree.subtree(rank));
}

// The same along any such tree.
template <typename Tree>
Schedule gather_up(const Tree& tree, const Group& group, std::int32_t block_count,
                   bool carries_sizes) {
  const std::int32_t rank = group.rank;
  const std::int32_t rounds = std::max(tree.rounds(), 1);
  Builder builder(group.ranks, rank, rounds, rank == 0 ? group.ranks * block_count : 0);
  builder.input(block_count);
  const BlockSet own = blocks(0, block_count, Buffer::input);
  Chunks chunks(group.ranks, group.ranks * block_count);
  chunks.buffer = rank == 0 ? Buffer::output : Buffer::scratch;
  const std::int32_t held = tree.subtree(rank);
  const BlockSet mine = held == 1 && rank > 0 ? own : chunks_below(chunks, tree, rank);
  if (mine.buffer == Buffer::scratch) builder.scratch(mine.first + mine.count);
  if (mine.buffer != Buffer::input) builder.copy(0, chunks.range(rank, rank + 1), own);
  tree.for_each_child(rank, [&](std::int32_t child) {
    builder.receive(rounds - 1 - tree.round_of(child), child, chunks_below(chunks, tree, child));
    if (carries_sizes && rank != 0) builder.carry_sizes();
  });
  if (rank != 0) {
    builder.send(rounds - 1 - tree.round_of(rank), tree.parent_of(rank), mine);
    if (carries_sizes && tree.parent_of(rank) != 0) builder.carry_sizes();
  }
  return std::move(builder).finish();
}

template <typename Tree>
Schedule scatter_down(const Tree& tree, const Group& group, std::int32_t block_count,
                      bool carries_sizes) {
  const std::int32_t rank = group.rank;
  Builder builder(group.ranks, rank, std::max(tree.rounds(), 1), block_count);
  const BlockSet own = blocks(0, block_count);
  Chunks chunks(group.ranks, group.ranks * block_count);
  chunks.buffer = rank == 0 ? Buffer::input : Buffer::scratch;
  const std::int32_t held = tree.subtree(rank);
  const BlockSet mine = held == 1 && rank > 0 ? own : chunks_below(chunks, tree, rank);
  if (rank == 0) builder.input(group.ranks * block_count);
  if (mine.buffer == Buffer::scratch) builder.scratch(mine.first + mine.count);
  if (rank != 0) {
    builder.receive(tree.round_of(rank), tree.parent_of(rank), mine);
    if (carries_sizes && held > 1) builder.carry_sizes();
  }
  tree.for_each_child(rank, [&](std::int32_t child) {
    builder.send(tree.round_of(child), child, chunks_below(chunks, tree, child));
    if (tree.subtree(child) == 1) return;
    if (carries_sizes) builder.carry_sizes();
    builder.go_alone();
  });
  if (mine.buffer != Buffer::output) {
    builder.copy(rank == 0 ? 0 : tree.round_of(rank), own, chunks.range(rank, rank + 1));
  }
  return std::move(builder).finish();
}

// Algorithm::cost_s of those along a tree of a radix, s.
double gather_along_tree_s(const Problem& problem, const PartsAlongTree& how);
double scatter_along_tree_s(const Problem& problem, const PartsAlongTree& how);

}  // namespace anabranch
