// A binomial tree up to the first rank, which sends each rank its part in turn.
//
// When: a baseline. Cost: (q + p - 1) alpha + (q + (p - 1) / p) beta m. Operands keep their order.
// Source: paper D, section 4.4 (what it replaces: "binomial + linear", MPICH 1.2.4).
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm reduce_scatter_reduce_scatterv = {
    .id = "reduce_scatter/reduce_scatterv",
    .summary = "reduce to the first rank, which sends each rank its part",
    .source = "paper D, section 4.4",
    .cost = "(q + p - 1) alpha + (q + (p - 1) / p) beta m",
    .collective = Collective::reduce_scatter,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = one_block,
    .make = ReduceScatter<reduce_binomial, scatter_linear>::generate,
    .cost_s = ReduceScatter<reduce_binomial, scatter_linear>::cost_s,
};

}  // namespace anabranch
