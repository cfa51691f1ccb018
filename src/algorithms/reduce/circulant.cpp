// Every rank sends one block and combines one in every round, over links that are the same for all.
//
// When: long messages; in the one-port model no reduction of n blocks takes fewer rounds than its
// q - 1 + n. Cost: (q - 1 + n)(alpha + beta m / n).
// How: the broadcast backwards. Operands are combined out of order.
// Source: Traff, arXiv 2312.11236 and 2407.18004.
#include "algorithms/backwards.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm reduce_circulant = {
    .id = "reduce/circulant",
    .summary = "round-optimal: every rank sends and combines one block in every round",
    .source = "Traff, arXiv 2312.11236 and 2407.18004",
    .cost = "(q - 1 + n)(alpha + beta m / n)",
    .collective = Collective::reduce,
    .parameters = Backwards<bcast_circulant>::parameters,
    .commutative_only = true,
    .blocks = segmented_blocks,
    .make = Backwards<bcast_circulant>::generate,
    .cost_s = Backwards<bcast_circulant>::cost_s,
};

}  // namespace anabranch
