// Each chunk of the message goes around the ring once to be combined, and once to be seen by all.
//
// When: long messages where neighbours in the ring are near each other.
// Cost: 2 (p - 1) n alpha + 2 (p - 1) / p beta m. Operands are combined out of order.
// Source: Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations,
// JPDC 69, 2009.
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm allreduce_ring = {
    .id = "allreduce/ring",
    .summary = "each chunk of the result goes around the ring twice, growing, then complete",
    .source = "Patarasuk, Yuan, JPDC 69 (2009)",
    .cost = "2 (p - 1) n alpha + 2 (p - 1) / p beta m",
    .collective = Collective::allreduce,
    .parameters = part_segments,
    .commutative_only = true,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = segmented_blocks_of_parts,
    .make = ReduceScatterAllgather<reduce_scatter_ring>::generate,
    .cost_s = ReduceScatterAllgather<reduce_scatter_ring>::cost_s,
};

}  // namespace anabranch
