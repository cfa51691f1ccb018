// Bine tree: each rank that has parts of others passes half of them on, the furthest ones first.
//
// When: as scatter/binomial, where ranks with near numbers are near each other in the network.
// Cost: q alpha + (p - 1) / p beta m. How: subtrees are ranges of the ring of ranks, counted from
// the root, so that each message is one range of parts. Distances are around that ring, whatever
// the root. Source: De Sensi et al., Bine Trees, SC '25.
#include "algorithms/bine_tree.hpp"

#include "algorithms/parts.hpp"
#include "algorithms/parts_along_tree.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {sizes_parameter};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  return scatter_down(BineTree(group.ranks), group, block_count, values[0] == 1);
}

// The root sends in each round; whoever gets parts is done with them when the root is with its own.
double cost_s(const Problem& problem, Values values) {
  const Network& network = problem.network;
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  const double size_bytes = values[0] == 1 ? size_field_bytes : 0;
  double time_s = 0;
  for (std::int32_t round = 0; round < ceil_log2(problem.ranks); ++round) {
    const std::int32_t child = (((problem.ranks - 1) >> round) + 1) / 2;
    const double sent_bytes = child * (part_bytes + (child > 1 ? size_bytes : 0));
    time_s += network.start_s(part_bytes) + sent_bytes * network.time_per_byte_s;
  }
  return time_s;
}

}  // namespace

extern const Algorithm scatter_bine = {
    .id = "scatter/bine",
    .summary = "Bine tree: each rank that has parts of others passes half of them on",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "q alpha + (p - 1) / p beta m",
    .collective = Collective::scatter,
    .parameters = parameters,
    .uses_ports_in_turn = true,
    .saves_distance = true,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
