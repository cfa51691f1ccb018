// Pipelined binary tree: rank r passes each segment on to 2 r + 1 and then to 2 r + 2.
//
// When: medium messages, since its depth is logarithmic; it sends every block twice, so that long
// messages take twice as long as they need. Cost: (d + 2(n - 1))(alpha + beta m / n), where the
// first block reaches the last rank after d < 2 q rounds. Source: the field's standard pipelined
// tree; "binary" in Open MPI.
#include "algorithms/binary_tree.hpp"
#include "algorithms/logarithm.hpp"
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

// With two ranks the tree is a chain.
std::int32_t rounds_per_block(std::int32_t ranks) { return ranks <= 2 ? 1 : 2; }

Pipeline pipeline_of(std::int32_t ranks) {
  const std::int32_t per_block = rounds_per_block(ranks);
  return {.fill_rounds = fill_rounds(ranks) - per_block,
          .rounds_per_block = per_block,
          .latency_rounds = floor_log2(ranks)};
}

std::int64_t default_segment(const Problem& problem) {
  return best_segment_bytes(problem, pipeline_of(problem.ranks));
}

constexpr Parameter parameters[] = {segment_parameter(default_segment)};

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder(group.ranks, group.rank,
                  pipeline_rounds(group.ranks, pipeline_of(group.ranks), block_count), block_count);
  builder.reserve(3);
  const Repeat each_block{.count = block_count, .round_step = rounds_per_block(group.ranks)};
  const std::int32_t first_round = rounds_to_first_block(group.rank);
  if (group.rank > 0) builder.receive(first_round - 1, (group.rank - 1) / 2, block(0), each_block);
  for (std::int32_t child = 0; child < 2; ++child) {
    const std::int64_t peer = 2 * std::int64_t{group.rank} + 1 + child;
    if (peer >= group.ranks) break;
    builder.send(first_round + child, static_cast<std::int32_t>(peer), block(0), each_block);
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  return pipeline_time_s(problem, pipeline_of(problem.ranks), segmented_blocks(problem, values));
}

}  // namespace

extern const Algorithm bcast_binary = {
    .id = "bcast/binary",
    .summary = "pipelined binary tree: each rank passes each segment on to two others",
    .source = "the field's standard; \"binary\" in Open MPI",
    .cost = "(d + 2 (n - 1))(alpha + beta m / n), d < 2 q the rounds of the first block",
    .collective = Collective::bcast,
    .parameters = parameters,
    .blocks = segmented_blocks,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
