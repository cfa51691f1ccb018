// Recursive halving leaves each rank a chunk of the result; a binomial tree gathers them.
//
// When: medium and long messages, also where the MPI_Op does not commute.
// Cost: 2 q alpha + 2 (p - 1) / p beta m for powers of two. Operands keep their order.
// Source: Rabenseifner's; Thakur, Rabenseifner, Gropp, Optimization of collective communication
// operations in MPICH, IJHPCA 19, 2005.
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm reduce_reduce_scatter_gather = {
    .id = "reduce/reduce_scatter_gather",
    .summary = "recursive halving, then the root gathers the chunks",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19 (2005)",
    .cost =
        "2 q alpha + 2 (p - 1) / p beta m for p = 2^q, else up to 2 alpha + (1 + 1 / p) beta m "
        "more",
    .collective = Collective::reduce,
    .blocks = block_per_rank,
    .make = ReduceScatterGather<reduce_scatter_recursive_halving>::generate,
    .cost_s = ReduceScatterGather<reduce_scatter_recursive_halving>::cost_s,
    // Unless p is a power of two, messages of several sizes get in each other's way.
    .cost_slack = 1.05,
};

}  // namespace anabranch
