// The tree that is optimal in the LogP model, backwards: partial results come in one after the
// other, each as late as it can be.
//
// When: short messages on a network whose latency is above the overhead of a message. Cost: that of
// bcast/logp_tree. How: the broadcast backwards; the nearest child is combined first, so that
// operands keep their order. Combining counts for nothing; the paper's summation has many operands
// on each rank and time for each addition, this one an operand on each.
// Source: Karp, Sahay, Santos, Schauser, SPAA 1993.
#include "algorithms/logp_tree.hpp"
#include "algorithms/backwards.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {delay_parameter};

}  // namespace

extern const Algorithm reduce_logp_tree = {
    .id = "reduce/logp_tree",
    .summary = "tree of least time in LogP: partial results come in one after the other",
    .source = "Karp, Sahay, Santos, Schauser, SPAA 1993",
    .cost = "that of bcast/logp_tree",
    .collective = Collective::reduce,
    .parameters = parameters,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = one_block,
    .make = Backwards<bcast_logp_tree>::generate,
    .cost_s = Backwards<bcast_logp_tree>::cost_s,
};

}  // namespace anabranch
