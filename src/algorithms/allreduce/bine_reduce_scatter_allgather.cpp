// A Bine butterfly leaves each rank a chunk of the result; the same exchanges back spread them.
//
// When: medium and long messages where ranks with near numbers are near each other in the network:
// the longest messages go to neighbours. The MPI_Op commutes.
// Cost: 2 q alpha + 2 (p - 1) / p beta m for even p.
// Source: De Sensi et al., Bine Trees, SC '25.
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm allreduce_bine_reduce_scatter_allgather = {
    .id = "allreduce/bine_reduce_scatter_allgather",
    .summary = "reduce-scatter over a Bine butterfly, then the same exchanges back",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "2 q alpha + 2 (p - 1) / p beta m for even p, else about 4 alpha + 2 beta m more",
    .collective = Collective::allreduce,
    .commutative_only = true,
    .saves_distance = true,
    .blocks = block_per_rank,
    .make = ReduceScatterAllgather<reduce_scatter_bine>::generate,
    .cost_s = ReduceScatterAllgather<reduce_scatter_bine>::cost_s,
    // Unless p is even, messages of several sizes get in each other's way.
    .cost_slack = 1.6,
};

}  // namespace anabranch
