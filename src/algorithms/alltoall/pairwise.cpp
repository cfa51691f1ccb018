// In round k each rank sends to the one k ahead and receives from the one k behind.
//
// When: long messages, as each port carries what it must and one message at a time. Also where
// ranks know the sizes of their own parts only. Cost: (p - 1) n alpha + (p - 1) / p beta m.
// Source: paper D, section 4.5.
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(std::int32_t ranks, std::int32_t rank, std::int32_t block_count, Values) {
  Builder builder = alltoall_builder(ranks, rank, (ranks - 1) * block_count, block_count);
  builder.reserve(2 * static_cast<std::size_t>(ranks));
  const Repeat each = one_by_one(block_count);
  for (std::int32_t distance = 1; distance < ranks; ++distance) {
    const std::int32_t to = (rank + distance) % ranks;
    const std::int32_t from = (rank - distance + ranks) % ranks;
    const std::int32_t round = (distance - 1) * block_count;
    builder.send(round, to, block(to * block_count, Buffer::input), each);
    builder.receive(round, from, block(from * block_count), each);
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm alltoall_pairwise = {
    .id = "alltoall/pairwise",
    .summary = "in round k each rank sends to the one k ahead and receives from the one k behind",
    .source = "paper D, section 4.5",
    .cost = "(p - 1) n alpha + (p - 1) / p beta m",
    .collective = Collective::alltoall,
    .parameters = part_segments,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = segmented_part_blocks,
    .generate = generate,
    .cost_s = segmented_parts_time_s,
};

}  // namespace anabranch
