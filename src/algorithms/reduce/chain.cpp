// Segments pass from the last rank to the root; each rank combines them with its own on the way.
//
// When: long messages on few ranks, and on links that others use too, since each rank talks to two
// neighbours only; its latency grows with p. Cost: (p - 2 + n)(alpha + beta m / n).
// How: the broadcast backwards. Operands keep their order.
// Source: paper A, section 3.3 ("linear_p"), backwards; "pipeline" in Open MPI.
#include "algorithms/backwards.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm reduce_chain = {
    .id = "reduce/chain",
    .summary = "segments pass from rank to rank, each combining its own",
    .source = "paper A, section 3.3, backwards",
    .cost = "(p - 2 + n)(alpha + beta m / n)",
    .collective = Collective::reduce,
    .parameters = Backwards<bcast_chain>::parameters,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = segmented_blocks,
    .make = Backwards<bcast_chain>::generate,
    .cost_s = Backwards<bcast_chain>::cost_s,
};

}  // namespace anabranch
