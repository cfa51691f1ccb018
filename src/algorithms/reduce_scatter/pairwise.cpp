// In step i each rank sends the part of the rank i further on, and combines what comes from the one
// i before.
//
// When: long vectors on few ranks: no part is sent twice, and nothing but the own part is combined.
// Cost: (p - 1) n alpha + (p - 1) / p beta m. Operands are combined out of order.
// Source: paper D, section 4.4 (long messages).
#include <algorithm>

#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder(group.ranks, group.rank, std::max((group.ranks - 1) * block_count, 1),
                  block_count);
  const Repeat each = one_by_one(block_count);
  builder.input(group.ranks * block_count);
  builder.reserve(static_cast<std::size_t>(2 * group.ranks - 1));
  builder.copy(0, blocks(0, block_count),
               blocks(group.rank * block_count, block_count, Buffer::input));
  for (std::int32_t step = 1; step < group.ranks; ++step) {
    const std::int32_t to = (group.rank + step) % group.ranks;
    const std::int32_t from = (group.rank - step + group.ranks) % group.ranks;
    const std::int32_t round = (step - 1) * block_count;
    builder.send(round, to, block(to * block_count, Buffer::input), each);
    builder.reduce(round, from, block(0), OperandOrder::theirs_first, each);
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm reduce_scatter_pairwise = {
    .id = "reduce_scatter/pairwise",
    .summary = "each rank sends every other one its part, in p - 1 steps",
    .source = "paper D, section 4.4",
    .cost = "(p - 1) n alpha + (p - 1) / p beta m",
    .collective = Collective::reduce_scatter,
    .parameters = part_segments,
    .commutative_only = true,
    .blocks = segmented_part_blocks,
    .make = generate,
    .cost_s = segmented_parts_in_turn_time_s,
};

}  // namespace anabranch
