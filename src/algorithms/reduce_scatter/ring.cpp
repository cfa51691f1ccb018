// Each part goes once around the ring, and every rank combines its own contribution on the way.
//
// When: long vectors where neighbours in the ring are near each other: nobody talks to anybody
// else. Cost: (p - 1) n alpha + (p - 1) / p beta m. Operands are combined out of order. How: in
// step i rank r sends part r - i, and combines part r - i - 1. Source: Patarasuk, Yuan, Bandwidth
// optimal all-reduce algorithms for clusters of workstations, JPDC 69, 2009.
#include <algorithm>

#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder(group.ranks, group.rank, std::max((group.ranks - 1) * block_count, 1),
                  block_count);
  const std::int32_t left = (group.rank + group.ranks - 1) % group.ranks;
  const std::int32_t right = (group.rank + 1) % group.ranks;
  const Repeat each = one_by_one(block_count);
  const auto part = [&](std::int32_t of, Buffer buffer, std::int32_t count) {
    return blocks((of + group.ranks) % group.ranks * block_count, count, buffer);
  };
  builder.input(group.ranks * block_count).scratch(group.ranks > 2 ? group.ranks * block_count : 0);
  builder.reserve(static_cast<std::size_t>(3 * group.ranks));
  for (std::int32_t step = 1; step < group.ranks; ++step) {
    const std::int32_t passed = group.rank - step;
    const std::int32_t round = (step - 1) * block_count;
    builder.send(round, right, part(passed, step == 1 ? Buffer::input : Buffer::scratch, 1), each);
    if (step == group.ranks - 1) break;
    const std::int32_t next = passed - 1;
    builder.copy(round, part(next, Buffer::scratch, block_count),
                 part(next, Buffer::input, block_count));
    builder.reduce(round, left, part(next, Buffer::scratch, 1), OperandOrder::theirs_first, each);
  }
  builder.copy(0, blocks(0, block_count), part(group.rank, Buffer::input, block_count));
  if (group.ranks > 1) {
    builder.reduce((group.ranks - 2) * block_count, left, block(0), OperandOrder::theirs_first,
                   each);
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm reduce_scatter_ring = {
    .id = "reduce_scatter/ring",
    .summary = "each part goes around the ring once, growing on the way",
    .source = "Patarasuk, Yuan, JPDC 69 (2009)",
    .cost = "(p - 1) n alpha + (p - 1) / p beta m",
    .collective = Collective::reduce_scatter,
    .parameters = part_segments,
    .commutative_only = true,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = segmented_part_blocks,
    .make = generate,
    .cost_s = segmented_parts_time_s,
};

}  // namespace anabranch
