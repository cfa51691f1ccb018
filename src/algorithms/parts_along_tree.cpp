#include "algorithms/parts_along_tree.hpp"

#include <algorithm>

#include "algorithms/knomial_tree.hpp"
#include "algorithms/parts.hpp"
#include "algorithms/scatter_allgather.hpp"

namespace anabranch {
namespace {

// Until the first of so many ranks has all their parts.
double collect_s(std::int32_t ranks, std::int64_t radix, double start_s, double part_s,
                 double part_to_first_s) {
  const KnomialTree tree(ranks, radix);
  double end_s = 0;
  double whole_s = 0;  // until the first rank of a whole subtree of the level has all its parts
  for (std::int32_t level = 0; level < tree.levels(); ++level) {
    const auto distance = static_cast<double>(tree.distance(level));
    for (std::int64_t digit = 1; digit <= tree.children_on(0, level); ++digit) {
      const auto child = static_cast<std::int32_t>(digit * tree.distance(level));
      const std::int32_t held = tree.subtree(child);
      const double ready_s =
          held < distance ? collect_s(held, radix, start_s, part_s, part_s) : whole_s;
      end_s = std::max(end_s, ready_s) + start_s + held * part_to_first_s;
    }
    whole_s += static_cast<double>(radix - 1) * (start_s + distance * part_s);
  }
  return end_s;
}

// Of a subtree of so many ranks, from when its first rank has all its parts.
double spread_s(std::int32_t ranks, std::int64_t radix, double start_s, double part_s,
                double size_s) {
  const KnomialTree tree(ranks, radix);
  double sent_s = 0;
  double end_s = 0;
  tree.for_each_child(0, [&](std::int32_t child) {
    const std::int32_t held = tree.subtree(child);
    sent_s += start_s + held * (part_s + (held > 1 ? size_s : 0));
    // A whole subtree is done with the one that it came from; the last one may not be whole.
    if (child + held < ranks) return;
    end_s = std::max(end_s, sent_s + spread_s(held, radix, start_s, part_s, size_s));
  });
  return std::max(sent_s, end_s);
}

}  // namespace

Schedule gather_along_tree(const Group& group, std::int32_t block_count,
                           const PartsAlongTree& how) {
  const KnomialTree tree(group.ranks, how.radix);
  const std::int32_t rank = group.rank;
  const std::int32_t rounds = std::max(tree.rounds(), 1);
  Builder builder(group.ranks, rank, rounds, rank == 0 ? group.ranks * block_count : 0);
  builder.input(block_count);
  const BlockSet own = blocks(0, block_count, Buffer::input);
  Chunks chunks(group.ranks, group.ranks * block_count);
  chunks.buffer = rank == 0 ? Buffer::output : Buffer::scratch;
  const std::int32_t held = tree.subtree(rank);
  const BlockSet mine = held == 1 && rank > 0 ? own : chunks.range(rank, rank + held);
  if (mine.buffer == Buffer::scratch) builder.scratch(mine.first + mine.count);
  if (mine.buffer != Buffer::input) {
    builder.copy(0, blocks(mine.first, block_count, mine.buffer), own);
  }
  tree.for_each_child(rank, [&](std::int32_t child) {
    builder.receive(rounds - 1 - tree.round_of(child), child,
                    chunks.range(child, child + tree.subtree(child)));
    if (how.carries_sizes && rank != 0) builder.carry_sizes();
  });
  if (rank != 0) {
    builder.send(rounds - 1 - tree.round_of(rank), tree.parent_of(rank), mine);
    if (how.carries_sizes && tree.parent_of(rank) != 0) builder.carry_sizes();
  }
  return std::move(builder).finish();
}

Schedule scatter_along_tree(const Group& group, std::int32_t block_count,
                            const PartsAlongTree& how) {
  const KnomialTree tree(group.ranks, how.radix);
  const std::int32_t rank = group.rank;
  Builder builder(group.ranks, rank, std::max(tree.rounds(), 1), block_count);
  const BlockSet own = blocks(0, block_count);
  Chunks chunks(group.ranks, group.ranks * block_count);
  chunks.buffer = rank == 0 ? Buffer::input : Buffer::scratch;
  const std::int32_t held = tree.subtree(rank);
  const BlockSet mine = held == 1 && rank > 0 ? own : chunks.range(rank, rank + held);
  if (rank == 0) builder.input(group.ranks * block_count);
  if (mine.buffer == Buffer::scratch) builder.scratch(mine.first + mine.count);
  if (rank != 0) {
    builder.receive(tree.round_of(rank), tree.parent_of(rank), mine);
    if (how.carries_sizes && held > 1) builder.carry_sizes();
  }
  tree.for_each_child(rank, [&](std::int32_t child) {
    const std::int32_t below = tree.subtree(child);
    builder.send(tree.round_of(child), child, chunks.range(child, child + below));
    if (below == 1) return;
    if (how.carries_sizes) builder.carry_sizes();
    builder.go_alone();
  });
  if (mine.buffer != Buffer::output) {
    builder.copy(rank == 0 ? 0 : tree.round_of(rank), own,
                 blocks(mine.first, block_count, mine.buffer));
  }
  return std::move(builder).finish();
}

double gather_along_tree_s(const Problem& problem, const PartsAlongTree& how) {
  const Network& network = problem.network;
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  const double part_s = part_bytes * network.time_per_byte_s;
  const double size_s = how.carries_sizes ? size_field_bytes * network.time_per_byte_s : 0;
  return collect_s(problem.ranks, how.radix, network.start_s(part_bytes), part_s + size_s, part_s);
}

double scatter_along_tree_s(const Problem& problem, const PartsAlongTree& how) {
  const Network& network = problem.network;
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  return spread_s(problem.ranks, how.radix, network.start_s(part_bytes),
                  part_bytes * network.time_per_byte_s,
                  how.carries_sizes ? size_field_bytes * network.time_per_byte_s : 0);
}

}  // namespace anabranch
