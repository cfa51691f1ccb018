// The circulant reduce-scatter, and all its messages back again.
//
// When: medium and long messages, where the MPI_Op commutes, any number of ranks.
// Cost: 2 q alpha + 2 (p - 1) / p beta m. Operands are combined out of order.
// Source: Traff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, 2025.
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm allreduce_circulant = {
    .id = "allreduce/circulant",
    .summary = "as few bytes as possible in 2 q rounds, for any number of ranks",
    .source = "Traff, Optimal, non-pipelined reduce-scatter and allreduce algorithms (2025)",
    .cost = "2 q alpha + 2 (p - 1) / p beta m",
    .collective = Collective::allreduce,
    .commutative_only = true,
    .blocks = block_per_rank,
    .make = ReduceScatterAllgather<reduce_scatter_circulant>::generate,
    .cost_s = ReduceScatterAllgather<reduce_scatter_circulant>::cost_s,
};

}  // namespace anabranch
