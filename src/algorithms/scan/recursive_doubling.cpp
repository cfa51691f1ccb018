// In each step a rank takes what the one twice as far before it has combined.
//
// When: short messages. Cost: q (alpha + beta m). Operands keep their order.
// How: after step k a rank holds what the 2^(k+1) ranks up to itself contribute, for any count.
// Source: Hillis, Steele, Data parallel algorithms, CACM 29, 1986; paper D names it only.
#include <algorithm>

#include "algorithms/logarithm.hpp"
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const std::int32_t steps = ceil_log2(group.ranks);
  Builder builder(group.ranks, group.rank, std::max(steps, 1), block_count);
  const BlockSet result = blocks(0, block_count);
  builder.input(block_count);
  builder.copy(0, result, blocks(0, block_count, Buffer::input));
  for (std::int32_t step = 0; step < steps; ++step) {
    const std::int32_t distance = std::int32_t{1} << step;
    if (group.rank < group.ranks - distance) builder.send(step, group.rank + distance, result);
    if (group.rank >= distance) {
      builder.reduce(step, group.rank - distance, result, OperandOrder::theirs_first);
    }
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  return rounds_time_s(problem, ceil_log2(problem.ranks), 1);
}

}  // namespace

extern const Algorithm scan_recursive_doubling = {
    .id = "scan/recursive_doubling",
    .summary = "take what the rank twice as far before has combined",
    .source = "Hillis, Steele, CACM 29 (1986)",
    .cost = "q (alpha + beta m)",
    .collective = Collective::scan,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
