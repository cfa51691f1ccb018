// Tree of a radix k: on each level a rank takes the parts of k - 1 subtrees, then sends all on.
//
// When: short parts on a network whose latency is above the overhead of a message. Inner ranks hold
// parts of others: at most p / k. Cost: that of scatter/knomial, of which this is the way back.
// Where ranks know their own part's size only, messages to inner ranks carry the sizes along. Radix
// 2 is gather/binomial. Source: the field's; Chunduri et al., CLUSTER 2023 (radix by size).
#include <algorithm>

#include "algorithms/knomial_tree.hpp"
#include "algorithms/parts.hpp"
#include "algorithms/scatter_allgather.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {radix_parameter, sizes_parameter};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const KnomialTree tree(group.ranks, values[0]);
  const bool carry_sizes = values[1] == 1;
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
    if (carry_sizes && rank != 0) builder.carry_sizes();
  });
  if (rank != 0) {
    builder.send(rounds - 1 - tree.round_of(rank), tree.parent_of(rank), mine);
    if (carry_sizes && tree.parent_of(rank) != 0) builder.carry_sizes();
  }
  return std::move(builder).finish();
}

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

double cost_s(const Problem& problem, Values values) {
  const Network& network = problem.network;
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  const double part_s = part_bytes * network.time_per_byte_s;
  const double size_s = values[1] == 1 ? size_field_bytes * network.time_per_byte_s : 0;
  return collect_s(problem.ranks, values[0], network.start_s(part_bytes), part_s + size_s, part_s);
}

}  // namespace

extern const Algorithm gather_knomial = {
    .id = "gather/knomial",
    .summary = "tree of a radix: each rank collects parts from below, then passes them on together",
    .source = "the field's; Chunduri et al., CLUSTER 2023",
    .cost = "(c + (l - 1)(k - 1)) alpha + (p - 1) / p beta m, as in bcast/knomial",
    .collective = Collective::gather,
    .parameters = parameters,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
