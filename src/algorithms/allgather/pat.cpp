// Parallel aggregated trees: each part goes down a binomial tree of its own, far ranks first, and
// parts that go over one distance share a message.
//
// When: where far ranks are dear: the message over the longest distance has one part, that over
// the shortest has p / 2, the other way round than with Bruck's. Or where messages are not to
// hold more than `aggregation` parts: a parts take log2 a + 2^q / a - 1 messages.
// Cost: q alpha + (p - 1) / p beta m. Parts lie where they belong from the start, so no rank needs
// memory beside its buffers; the paper's need a part for each of q levels and each part of a
// message. Source: Jeaugey, arXiv 2506.20252 (2025), all-gather; the order is that of NCCL 2.23.
#include "algorithms/aggregated_trees.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const auto [ranks, rank] = std::pair(group.ranks, group.rank);
  const AggregatedTrees trees(ranks, values[0]);
  Builder builder = allgather_builder(ranks, rank, trees.rounds(), block_count);
  std::int32_t round = 0;
  for (const TreeStep& step : trees.steps()) {
    const std::int32_t child = (rank - step.distance + ranks) % ranks;
    const std::int32_t parent = (rank + step.distance) % ranks;
    builder.send(round, child, parts_at(step.parents(), ranks, rank, block_count, Buffer::output));
    builder.receive(round, parent, parts_at(step.places, ranks, rank, block_count, Buffer::output));
    ++round;
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm allgather_pat = {
    .id = "allgather/pat",
    .summary =
        "each part goes down a tree of its own, far first; trees share messages of `aggregation` "
        "parts",
    .source = "Jeaugey, arXiv 2506.20252 (2025); NCCL 2.23",
    .cost =
        "(log2 a + 2^q / a - 1) alpha + (p - 1) / p beta m for a parts in a message, q alpha for "
        "all",
    .collective = Collective::allgather,
    .parameters = aggregation_parameters,
    .blocks = one_block,
    .make = generate,
    .cost_s = aggregated_trees_time_s,
};

}  // namespace anabranch
