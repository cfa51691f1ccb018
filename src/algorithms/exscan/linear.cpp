// Each rank sends its message on; then the linear scan over all ranks but the first.
//
// When: a baseline; few ranks. Cost: (p - 1)(alpha + beta m). Operands keep their order.
// Source: scan/linear.
#include "algorithms/descriptors.hpp"
#include "algorithms/shifted_scan.hpp"

namespace anabranch {

extern const Algorithm exscan_linear = {
    .id = "exscan/linear",
    .summary = "a step to the next rank, then the linear scan",
    .source = "scan/linear",
    .cost = "(p - 1)(alpha + beta m)",
    .collective = Collective::exscan,
    .uses_ports_in_turn = true,
    .blocks = one_block,
    .make = ShiftedScan<scan_linear>::generate,
    .cost_s = ShiftedScan<scan_linear>::cost_s,
};

}  // namespace anabranch
