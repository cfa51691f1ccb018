// The root sends the message to each rank in turn.
//
// When: two or three ranks; otherwise a baseline. Cost: (p - 1)(alpha + beta m).
// Source: paper A, section 3.3; "linear" in Open MPI.
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder(group.ranks, group.rank, group.ranks - 1, block_count);
  if (group.rank > 0) {
    builder.receive(group.rank - 1, 0, blocks(0, block_count));
  } else {
    builder.reserve(static_cast<std::size_t>(group.ranks - 1));
    for (std::int32_t peer = 1; peer < group.ranks; ++peer) {
      builder.send(peer - 1, peer, blocks(0, block_count));
    }
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  const auto size = static_cast<double>(problem.size_bytes);
  return turns_time_s(problem.network, {problem.ranks - 1.0, 1, false}, size);
}

}  // namespace

extern const Algorithm bcast_flat = {
    .id = "bcast/flat",
    .summary = "the root sends the message to each rank in turn",
    .source = "paper A, section 3.3",
    .cost = "(p - 1)(alpha + beta m)",
    .collective = Collective::bcast,
    .uses_ports_in_turn = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
