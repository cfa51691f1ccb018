// Each rank sends its message on; then the scan over doubling distances without the first rank.
//
// When: short messages. Cost: (1 + ceil(log2(p - 1)))(alpha + beta m). Operands keep their order.
// Source: Hillis, Steele, Data parallel algorithms, CACM 29, 1986.
#include "algorithms/descriptors.hpp"
#include "algorithms/shifted_scan.hpp"

namespace anabranch {

extern const Algorithm exscan_recursive_doubling = {
    .id = "exscan/recursive_doubling",
    .summary = "a step to the next rank, then the scan over doubling distances",
    .source = "scan/recursive_doubling",
    .cost = "(1 + ceil(log2(p - 1)))(alpha + beta m)",
    .collective = Collective::exscan,
    .blocks = one_block,
    .make = ShiftedScan<scan_recursive_doubling>::generate,
    .cost_s = ShiftedScan<scan_recursive_doubling>::cost_s,
};

}  // namespace anabranch
