// Each rank sends its part to the root, which takes them in turn.
//
// When: long parts, since the root's port is busy throughout, and parts whose sizes only the root
// knows. Cost: (p - 1) alpha + (p - 1) / p beta m.
// Source: paper D, section 4.1 (the old algorithm).
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const BlockSet own = blocks(0, block_count, Buffer::input);
  Builder builder(group.ranks, group.rank, std::max(group.ranks - 1, 1),
                  group.rank == 0 ? group.ranks * block_count : 0);
  builder.input(block_count);
  if (group.rank > 0) {
    builder.send(group.rank - 1, 0, own);
    return std::move(builder).finish();
  }
  builder.reserve(static_cast<std::size_t>(group.ranks));
  builder.copy(0, blocks(0, block_count), own);
  for (std::int32_t peer = 1; peer < group.ranks; ++peer) {
    builder.receive(peer - 1, peer, blocks(peer * block_count, block_count));
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm gather_linear = {
    .id = "gather/linear",
    .summary = "each rank sends its part to the root",
    .source = "paper D, section 4.1",
    .cost = "(p - 1) alpha + (p - 1) / p beta m",
    .collective = Collective::gather,
    .uses_ports_in_turn = true,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = parts_of_one_time_s,
};

}  // namespace anabranch
