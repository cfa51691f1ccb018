// Each rank combines its chunk of all others, sent to it directly, and sends them the result.
//
// When: long messages where any two ranks are equally near: each message waits for one combination
// at most, not for what others pass on. Cost: 2 (p - 1) n alpha + 2 (p - 1) / p beta m. Operands
// are combined out of order. Source: paper D, section 4.4 (long messages), and its way back.
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm allreduce_pairwise = {
    .id = "allreduce/pairwise",
    .summary = "reduce-scatter in p - 1 direct exchanges, and the same way back",
    .source = "paper D, section 4.4",
    .cost = "2 (p - 1) n alpha + 2 (p - 1) / p beta m",
    .collective = Collective::allreduce,
    .parameters = part_segments,
    .commutative_only = true,
    .blocks = segmented_blocks_of_parts,
    .make = ReduceScatterAllgather<reduce_scatter_pairwise>::generate,
    .cost_s = ReduceScatterAllgather<reduce_scatter_pairwise>::cost_s,
};

}  // namespace anabranch
