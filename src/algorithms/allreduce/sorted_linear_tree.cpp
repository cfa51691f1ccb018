// Segments pass from the first rank to come to the last one, combined on the way, and back.
//
// When: a baseline for ranks that arrive at times which somebody predicted: they are sorted as they
// came to an earlier call, where the order of operands makes no difference, and else by their
// numbers. Those that are there combine while the last ones are awaited. Two message times are left
// then, as for the ring: the rank before the last one sends it the sum, and passes the result on
// through the same port. Cost: (2 (p + n) - 3)(alpha + beta m / n). Source: Proficz, Improving
// all-reduce collective operations for imbalanced process arrival patterns, J. Supercomputing 74
// (2018), the sorted linear tree.
#include <algorithm>

#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

// Every second round of a port is for segments on their way back.
constexpr std::int32_t rounds_per_block = 2;

// As long as it takes: no rank waits for the rounds in which nothing moves.
Pipeline pipeline_of(std::int32_t ranks) {
  const std::int64_t fill_rounds = 2 * std::int64_t{ranks} - 5;
  return {.fill_rounds = std::max<std::int64_t>(fill_rounds, 1),
          .rounds_per_block = rounds_per_block};
}

std::int64_t default_segment(const Problem& problem) {
  return best_segment_bytes(problem, pipeline_of(problem.ranks));
}

constexpr Parameter parameters[] = {segment_parameter(default_segment)};

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const std::int32_t rank = group.rank, last = group.ranks - 1;
  const std::int32_t rounds =
      group.ranks < 2 ? 1 : 2 * group.ranks - 3 + rounds_per_block * block_count;
  Builder builder(group.ranks, rank, rounds, block_count);
  builder.input(block_count);
  builder.reserve(5);
  builder.copy(0, blocks(0, block_count), blocks(0, block_count, Buffer::input));
  const Repeat each_block{.count = block_count, .round_step = rounds_per_block};
  // A segment comes back to a rank in this round, and goes on in the next one.
  const std::int32_t returns = group.ranks + last - 1 - rank;
  if (rank > 0) {
    builder.reduce(rank - 1, rank - 1, block(0), OperandOrder::theirs_first, each_block);
  }
  if (rank < last) {
    builder.send(rank, rank + 1, block(0), each_block);
    builder.receive(returns, rank + 1, block(0), each_block);
  }
  if (rank > 0) builder.send(returns + 1, rank - 1, block(0), each_block);
  return std::move(builder).finish();
}

// Two ranks use each port once. A single segment has no other on its way that it would wait for.
double cost_s(const Problem& problem, Values values) {
  const std::int32_t blocks = segmented_blocks(problem, values);
  const double ranks = problem.ranks;
  if (ranks < 3) return rounds_time_s(problem, (ranks - 1) * (blocks + 1), blocks);
  return rounds_time_s(problem, std::max(2 * (ranks - 1), 2 * (ranks + blocks) - 5), blocks);
}

}  // namespace

extern const Algorithm allreduce_sorted_linear_tree = {
    .id = "allreduce/sorted_linear_tree",
    .summary = "segments pass to the last rank, combined on the way, and back",
    .source = "Proficz, J. Supercomputing 74 (2018), ranks sorted as they came before",
    .cost = "(2 (p + n) - 5)(alpha + beta m / n)",
    .collective = Collective::allreduce,
    .parameters = parameters,
    .for_sorted_ranks = true,
    .for_comparison = true,
    .blocks = segmented_blocks,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
