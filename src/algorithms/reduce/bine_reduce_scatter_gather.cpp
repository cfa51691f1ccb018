// A Bine butterfly leaves each rank a chunk of the result; a Bine tree gathers them.
//
// When: medium and long messages where ranks with near numbers are near each other in the network.
// The MPI_Op commutes. Cost: 2 q alpha + 2 (p - 1) / p beta m for even p.
// How: reduce_scatter/bine, then subtrees as ranges of chunks. Ranks count from the root. Source:
// De Sensi et al., Bine Trees, SC '25.
#include "algorithms/bine_tree.hpp"
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm reduce_bine_reduce_scatter_gather = {
    .id = "reduce/bine_reduce_scatter_gather",
    .summary = "reduce-scatter over a Bine butterfly, then the root gathers up a Bine tree",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "2 q alpha + 2 (p - 1) / p beta m for even p, else about 2 alpha + beta m more",
    .collective = Collective::reduce,
    .commutative_only = true,
    .saves_distance = true,
    .blocks = block_per_rank,
    .make = ReduceScatterGather<reduce_scatter_bine, add_bine_scatter>::generate,
    .cost_s = ReduceScatterGather<reduce_scatter_bine, add_bine_scatter>::cost_s,
    // Unless p is even, messages of several sizes get in each other's way.
    .cost_slack = 1.6,
};

}  // namespace anabranch
