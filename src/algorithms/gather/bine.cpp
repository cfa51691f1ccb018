// The Bine scatter backwards: each rank collects the parts of those below it, then sends them.
//
// When: as gather/binomial, where ranks with near numbers are near each other in the network.
// Cost: q alpha + (p - 1) / p beta m. How: subtrees are ranges of the ring of ranks, counted from
// the root, so that each message is one range of parts. Distances are around that ring, whatever
// the root. Source: De Sensi et al., Bine Trees, SC '25.
#include "algorithms/bine_tree.hpp"

#include <algorithm>

#include "algorithms/parts.hpp"
#include "algorithms/parts_along_tree.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {sizes_parameter};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  return gather_up(BineTree(group.ranks), group, block_count, values[0] == 1);
}

// The root receives in each round what a child has collected by then.
double cost_s(const Problem& problem, Values values) {
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  const double byte_s = problem.network.time_per_byte_s;
  const double start_s = problem.network.start_s(part_bytes);
  const double sized_part_s = (part_bytes + (values[0] == 1 ? size_field_bytes : 0)) * byte_s;
  double time_s = 0;
  for (std::int32_t round = ceil_log2(problem.ranks) - 1; round >= 0; --round) {
    const std::int32_t child = (((problem.ranks - 1) >> round) + 1) / 2;
    const double ready_s = ceil_log2(child) * start_s + (child - 1) * sized_part_s;
    time_s = std::max(time_s, ready_s) + start_s + child * part_bytes * byte_s;
  }
  return time_s;
}

}  // namespace

extern const Algorithm gather_bine = {
    .id = "gather/bine",
    .summary = "Bine tree: each rank collects parts from below, then passes them on together",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "q alpha + (p - 1) / p beta m",
    .collective = Collective::gather,
    .parameters = parameters,
    .uses_ports_in_turn = true,
    .saves_distance = true,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
