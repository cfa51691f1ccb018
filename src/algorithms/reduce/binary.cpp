// Segments pass up a binary tree; each rank combines those of two others with its own on the way.
//
// When: medium messages, since its depth is logarithmic. Cost: that of bcast/binary.
// How: the broadcast backwards. Operands are combined out of order.
// Source: the field's standard pipelined tree; "binary" in Open MPI.
#include "algorithms/backwards.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm reduce_binary = {
    .id = "reduce/binary",
    .summary = "pipelined binary tree: each rank combines segments of two others with its own",
    .source = "the field's standard; \"binary\" in Open MPI",
    .cost = "(d + 2 (n - 1))(alpha + beta m / n), d < 2 q the rounds of the first block",
    .collective = Collective::reduce,
    .parameters = Backwards<bcast_binary>::parameters,
    .commutative_only = true,
    .for_comparison = true,
    .blocks = segmented_blocks,
    .make = Backwards<bcast_binary>::generate,
    .cost_s = Backwards<bcast_binary>::cost_s,
};

}  // namespace anabranch
