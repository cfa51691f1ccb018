// The root takes from each rank in turn.
//
// When: few ranks, and as the baseline that it is; the root's port carries everything.
// Cost: (p - 1)(alpha + beta m). Operands keep their order.
// Source: the field's simplest; "linear" in Open MPI.
#include <algorithm>

#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder(group.ranks, group.rank, std::max(group.ranks - 1, 1),
                  group.rank == 0 ? block_count : 0);
  builder.input(block_count);
  const BlockSet own = blocks(0, block_count, Buffer::input);
  if (group.rank > 0) {
    builder.send(group.rank - 1, 0, own);
    return std::move(builder).finish();
  }
  const BlockSet result = blocks(0, block_count);
  builder.reserve(static_cast<std::size_t>(group.ranks));
  builder.copy(0, result, own);
  for (std::int32_t peer = 1; peer < group.ranks; ++peer) {
    builder.reduce(peer - 1, peer, result, OperandOrder::mine_first);
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  const auto size = static_cast<double>(problem.size_bytes);
  return turns_time_s(problem.network, {problem.ranks - 1.0, 1, false}, size);
}

}  // namespace

extern const Algorithm reduce_linear = {
    .id = "reduce/linear",
    .summary = "the root takes from each rank in turn",
    .source = "Open MPI (linear)",
    .cost = "(p - 1)(alpha + beta m)",
    .collective = Collective::reduce,
    .uses_ports_in_turn = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
