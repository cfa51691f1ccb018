// A binomial tree up to the first rank, and down again.
//
// When: a baseline: recursive_doubling takes half the rounds. Cost: 2 q (alpha + beta m).
// Operands keep their order.
// Source: MPICH 1.2.4, by the reduce and the broadcast that paper D replaces (4.3, 4.4).
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm allreduce_reduce_bcast = {
    .id = "allreduce/reduce_bcast",
    .summary = "reduce to the first rank, which broadcasts the result",
    .source = "paper D, sections 4.3 and 4.4",
    .cost = "2 q (alpha + beta m)",
    .collective = Collective::allreduce,
    .blocks = one_block,
    .make = ReduceBcast<reduce_binomial, bcast_binomial>::generate,
    .cost_s = ReduceBcast<reduce_binomial, bcast_binomial>::cost_s,
};

}  // namespace anabranch
