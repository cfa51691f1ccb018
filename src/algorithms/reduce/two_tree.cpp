// Two binary trees at once, each carrying every other block to the root.
//
// When: long messages; a logarithmic number of rounds longer than the optimum, but with at most
// four peers per rank. Cost: (n + d)(alpha + beta m / n), where d <= 2 q.
// How: the broadcast backwards. Operands are combined out of order.
// Source: Sanders, Speck, Traff, Two-tree algorithms for full bandwidth broadcast, reduction and
// scan, Parallel Computing 35, 2009.
#include "algorithms/backwards.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm reduce_two_tree = {
    .id = "reduce/two_tree",
    .summary = "two binary trees at once, each carrying every other block",
    .source = "Sanders, Speck, Traff, Parallel Computing 35 (2009)",
    .cost = "(n + d)(alpha + beta m / n), d <= 2 q the rounds of the first block",
    .collective = Collective::reduce,
    .parameters = Backwards<bcast_two_tree>::parameters,
    .commutative_only = true,
    .blocks = segmented_blocks,
    .make = Backwards<bcast_two_tree>::generate,
    .cost_s = Backwards<bcast_two_tree>::cost_s,
    // Leaves need not wait for their round: few blocks arrive sooner.
    .cost_slack = 1.26,
};

}  // namespace anabranch
