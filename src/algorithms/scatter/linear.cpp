// The root sends each rank its part in turn.
//
// When: long parts, since the root's port is busy throughout, and parts whose sizes only the root
// knows. Cost: (p - 1) alpha + (p - 1) / p beta m.
// Source: paper D, section 4.1 (the old algorithm).
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder(group.ranks, group.rank, std::max(group.ranks - 1, 1), block_count);
  const BlockSet own = blocks(0, block_count);
  if (group.rank > 0) {
    builder.receive(group.rank - 1, 0, own);
    return std::move(builder).finish();
  }
  builder.input(group.ranks * block_count);
  builder.reserve(static_cast<std::size_t>(group.ranks));
  builder.copy(0, own, blocks(0, block_count, Buffer::input));
  for (std::int32_t peer = 1; peer < group.ranks; ++peer) {
    builder.send(peer - 1, peer, blocks(peer * block_count, block_count, Buffer::input));
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm scatter_linear = {
    .id = "scatter/linear",
    .summary = "the root sends each rank its part in turn",
    .source = "paper D, section 4.1",
    .cost = "(p - 1) alpha + (p - 1) / p beta m",
    .collective = Collective::scatter,
    .uses_ports_in_turn = true,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = parts_of_one_time_s,
};

}  // namespace anabranch
