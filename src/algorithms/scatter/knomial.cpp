// Tree of a radix k: on each level a rank sends k - 1 others the parts of their subtrees.
//
// When: short parts on a network whose latency is above the overhead of a message. Inner ranks hold
// parts of others: at most p / k. Cost: (c + (l - 1)(k - 1)) alpha + (p - 1) / p beta m on whole
// trees, as in bcast/knomial. Where ranks know their own part's size only, messages to inner ranks
// carry the sizes along. Radix 2 is scatter/binomial.
// Source: the field's; Chunduri et al., CLUSTER 2023 (radix by size).
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
    if (carry_sizes && held > 1) builder.carry_sizes();
  }
  tree.for_each_child(rank, [&](std::int32_t child) {
    const std::int32_t below = tree.subtree(child);
    builder.send(tree.round_of(child), child, chunks.range(child, child + below));
    if (below == 1) return;
    if (carry_sizes) builder.carry_sizes();
    builder.go_alone();
  });
  if (mine.buffer != Buffer::output) {
    builder.copy(rank == 0 ? 0 : tree.round_of(rank), own,
                 blocks(mine.first, block_count, mine.buffer));
  }
  return std::move(builder).finish();
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

double cost_s(const Problem& problem, Values values) {
  const Network& network = problem.network;
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  return spread_s(problem.ranks, values[0], network.start_s(part_bytes),
                  part_bytes * network.time_per_byte_s,
                  values[1] == 1 ? size_field_bytes * network.time_per_byte_s : 0);
}

}  // namespace

extern const Algorithm scatter_knomial = {
    .id = "scatter/knomial",
    .summary = "tree of a radix: each rank that has parts of others passes most of them on",
    .source = "the field's; Chunduri et al., CLUSTER 2023",
    .cost = "(c + (l - 1)(k - 1)) alpha + (p - 1) / p beta m, as in bcast/knomial",
    .collective = Collective::scatter,
    .parameters = parameters,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
