// Each rank passes the segments on to the next one as they come.
//
// When: long messages on few ranks, and on links that others use too, since each rank talks to two
// neighbours only; its latency grows with p. Cost: (p - 2 + n)(alpha + beta m / n).
// Source: paper A, section 3.3 ("linear_p"); "pipeline" in Open MPI.
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Pipeline pipeline_of(std::int32_t ranks) { return {.fill_rounds = ranks - 2}; }

std::int64_t default_segment(const Problem& problem) {
  return best_segment_bytes(problem, pipeline_of(problem.ranks));
}

constexpr Parameter parameters[] = {segment_parameter(default_segment)};

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder(group.ranks, group.rank,
                  pipeline_rounds(group.ranks, pipeline_of(group.ranks), block_count), block_count);
  builder.reserve(2);
  const Repeat each_block{.count = block_count};
  if (group.rank > 0) builder.receive(group.rank - 1, group.rank - 1, block(0), each_block);
  if (group.rank < group.ranks - 1) builder.send(group.rank, group.rank + 1, block(0), each_block);
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  return pipeline_time_s(problem, pipeline_of(problem.ranks), segmented_blocks(problem, values));
}

}  // namespace

extern const Algorithm bcast_chain = {
    .id = "bcast/chain",
    .summary = "each rank passes the segments on to the next",
    .source = "paper A, section 3.3",
    .cost = "(p - 2 + n)(alpha + beta m / n)",
    .collective = Collective::bcast,
    .parameters = parameters,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = segmented_blocks,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
