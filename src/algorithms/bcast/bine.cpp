// Bine tree: the rounds of a binomial tree, with partners a third nearer on average.
//
// When: short messages where ranks with near numbers are near each other in the network: then
// fewer messages cross its thin links. Cost: q (alpha + beta m), that of bcast/binomial, as the
// model knows no distances. How: algorithms/bine_tree.hpp; ranks count from the root,
// and distances are around their ring: the same for every root. Source: De Sensi et al., Bine
// Trees, SC '25.
#include "algorithms/bine_tree.hpp"

#include "algorithms/message_along_tree.hpp"
#include "algorithms/segments.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  return message_down(BineTree(group.ranks), group, block_count);
}

double cost_s(const Problem& problem, Values) {
  return rounds_time_s(problem, BineTree(problem.ranks).rounds(), 1);
}

}  // namespace

extern const Algorithm bcast_bine = {
    .id = "bcast/bine",
    .summary = "Bine tree: a binomial tree with partners two thirds as far from each other",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "q (alpha + beta m)",
    .collective = Collective::bcast,
    .uses_ports_in_turn_in_blocks = true,
    .saves_distance = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
