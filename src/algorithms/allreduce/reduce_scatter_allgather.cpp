// Recursive halving leaves each rank a chunk of the result; the same exchanges back spread them.
//
// When: medium and long messages, also where the MPI_Op does not commute.
// Cost: 2 q alpha + 2 (p - 1) / p beta m for powers of two. Operands keep their order.
// Source: Rabenseifner's; Thakur, Rabenseifner, Gropp, Optimization of collective communication
// operations in MPICH, IJHPCA 19, 2005.
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm allreduce_reduce_scatter_allgather = {
    .id = "allreduce/reduce_scatter_allgather",
    .summary = "recursive halving, then the same exchanges back",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19 (2005)",
    .cost =
        "2 q alpha + 2 (p - 1) / p beta m for p = 2^q, else up to 4 alpha + 2 (1 + 1 / p) beta m "
        "more",
    .collective = Collective::allreduce,
    .blocks = block_per_rank,
    .make = ReduceScatterAllgather<reduce_scatter_recursive_halving>::generate,
    .cost_s = ReduceScatterAllgather<reduce_scatter_recursive_halving>::cost_s,
    // Unless p is a power of two, messages of several sizes get in each other's way.
    .cost_slack = 1.05,
};

}  // namespace anabranch
