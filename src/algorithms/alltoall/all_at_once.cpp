// All messages may go at once: each rank sends to all others and receives from all others.
//
// When: medium messages, where the network sorts them out better than rounds. Also where ranks know
// the sizes of their own parts only. Cost: (p - 1) alpha + (p - 1) / p beta m if nobody gets in
// each other's way. How: each rank begins with the one after it, as MPICH 3 does; paper D's old
// algorithm began with rank 0 everywhere, which it finds to be its weakness.
// Source: paper D, section 4.5 (the old algorithm).
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(std::int32_t ranks, std::int32_t rank, std::int32_t block_count, Values) {
  Builder builder = alltoall_builder(ranks, rank, 1, block_count);
  builder.reserve(2 * static_cast<std::size_t>(ranks));
  for (std::int32_t distance = 1; distance < ranks; ++distance) {
    const std::int32_t to = (rank + distance) % ranks;
    const std::int32_t from = (rank - distance + ranks) % ranks;
    builder.send(0, to, blocks(to * block_count, block_count, Buffer::input));
    builder.receive(0, from, blocks(from * block_count, block_count));
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm alltoall_all_at_once = {
    .id = "alltoall/all_at_once",
    .summary = "each rank sends to all others and receives from all others at once",
    .source = "paper D, section 4.5",
    .cost = "(p - 1) alpha + (p - 1) / p beta m",
    .collective = Collective::alltoall,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .generate = generate,
    .cost_s = part_per_rank_time_s,
    // Messages that meet at a port leave others idle.
    .cost_slack = 2,
};

}  // namespace anabranch
