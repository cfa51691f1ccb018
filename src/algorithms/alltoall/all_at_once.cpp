// All messages may go at once: each rank sends to all others and receives from all others.
//
// When: medium messages, where the network sorts them out better than rounds. Also where ranks know
// the sizes of their own parts only. Cost: (p - 1) alpha + (p - 1) / p beta m if nobody gets in
// each other's way. How: each rank begins with the one after it; in MPICH 1.2.4 all began with rank
// 0, which paper D calls a bottleneck at a single node.
// Source: paper D, section 4.5 (the old algorithm).
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {{
    .name = "stagger",
    .summary = "1: each rank begins with the one after it; 0: all with rank 0 (paper D, old)",
    .minimum = 0,
    .maximum = 1,
    .default_value = [](const Problem&) -> std::int64_t { return 1; },
}};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  Builder builder = alltoall_builder(group.ranks, group.rank, 1, block_count);
  builder.reserve(2 * static_cast<std::size_t>(group.ranks));
  const bool staggered = values[0] == 1;
  for (std::int32_t i = 0; i < group.ranks; ++i) {
    const std::int32_t to = staggered ? (group.rank + i) % group.ranks : i;
    const std::int32_t from = staggered ? (group.rank - i + group.ranks) % group.ranks : i;
    if (to == group.rank) continue;
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
    .parameters = parameters,
    .share_between_nodes = share_sent_straight,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = exchanged_parts_time_s,
    // Messages that meet at a port leave others idle.
    .cost_slack = 2,
};

}  // namespace anabranch
