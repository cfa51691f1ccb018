// The Bine broadcast backwards: each rank combines what those below it have, then sends it on.
//
// When: short messages where ranks with near numbers are near each other in the network, and the
// MPI_Op commutes: subtrees lie ahead of ranks and behind them, so operands do not keep their
// order. Ranks count from the root; distances are around their ring. Cost: q (alpha + beta m).
// Source: De Sensi et al., Bine Trees, SC '25.
#include "algorithms/backwards.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm reduce_bine = {
    .id = "reduce/bine",
    .summary = "Bine tree: a binomial tree with partners two thirds as far from each other",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "q (alpha + beta m)",
    .collective = Collective::reduce,
    .commutative_only = true,
    .uses_ports_in_turn_in_blocks = true,
    .saves_distance = true,
    .blocks = one_block,
    .make = Backwards<bcast_bine>::generate,
    .cost_s = Backwards<bcast_bine>::cost_s,
};

}  // namespace anabranch
