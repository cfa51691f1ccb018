// In round k each rank sends its part to the one k ahead and receives from the one k behind.
//
// When: long messages where any two ranks are equally near: nobody waits for what others pass on.
// Cost: (p - 1) n alpha + (p - 1) / p beta m. Source: the field's ("pairwise", "linear").
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder =
      allgather_builder(group.ranks, group.rank, (group.ranks - 1) * block_count, block_count);
  builder.reserve(2 * static_cast<std::size_t>(group.ranks));
  const Repeat each = one_by_one(block_count);
  for (std::int32_t distance = 1; distance < group.ranks; ++distance) {
    const std::int32_t from = (group.rank - distance + group.ranks) % group.ranks;
    const std::int32_t round = (distance - 1) * block_count;
    builder.send(round, (group.rank + distance) % group.ranks, block(0, Buffer::input), each);
    builder.receive(round, from, block(from * block_count), each);
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm allgather_pairwise = {
    .id = "allgather/pairwise",
    .summary = "in round k each rank sends its part to the one k ahead",
    .source = "the field's",
    .cost = "(p - 1) n alpha + (p - 1) / p beta m",
    .collective = Collective::allgather,
    .parameters = part_segments,
    .blocks = segmented_part_blocks,
    .make = generate,
    .cost_s = segmented_parts_in_turn_time_s,
};

}  // namespace anabranch
