// Around a ring: each rank passes on what it received in the round before.
//
// When: long messages where neighbours in the ring are near each other. Cost: (p - 1) n alpha +
// (p - 1) / p beta m. Source: paper D, section 4.2 (the old algorithm).
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder =
      allgather_builder(group.ranks, group.rank, (group.ranks - 1) * block_count, block_count);
  builder.reserve(2 * static_cast<std::size_t>(group.ranks));
  const std::int32_t left = (group.rank + group.ranks - 1) % group.ranks;
  const std::int32_t right = (group.rank + 1) % group.ranks;
  const Repeat each = one_by_one(block_count);
  const auto first_of = [&](std::int32_t of) {
    return block((of + group.ranks) % group.ranks * block_count);
  };
  for (std::int32_t step = 0; step < group.ranks - 1; ++step) {
    builder.send(step * block_count, right, first_of(group.rank - step), each);
    builder.receive(step * block_count, left, first_of(left - step), each);
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm allgather_ring = {
    .id = "allgather/ring",
    .summary = "each rank passes on around a ring what it received last",
    .source = "paper D, section 4.2",
    .cost = "(p - 1) n alpha + (p - 1) / p beta m",
    .collective = Collective::allgather,
    .parameters = part_segments,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = segmented_part_blocks,
    .make = generate,
    .cost_s = segmented_parts_time_s,
};

}  // namespace anabranch
