// Each rank sends its segments on; then they pass from rank to rank, each combining its own.
//
// When: long messages. Cost: (p - 3 + 2 n)(alpha + beta m / n). Operands keep their order.
// Source: Sanders, Traff, Parallel prefix (scan) algorithms for MPI, 2006.
#include "algorithms/descriptors.hpp"
#include "algorithms/shifted_scan.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {segment_parameter([](const Problem& problem) {
  return best_segment_bytes(problem, {.fill_rounds = problem.ranks - 3, .rounds_per_block = 2});
})};

}  // namespace

extern const Algorithm exscan_chain = {
    .id = "exscan/chain",
    .summary = "a step to the next rank, then segments pass from rank to rank",
    .source = "Sanders, Traff, Parallel prefix (scan) algorithms for MPI (2006)",
    .cost = "(p - 3 + 2 n)(alpha + beta m / n)",
    .collective = Collective::exscan,
    .parameters = parameters,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = segmented_blocks,
    .make = ShiftedScan<scan_chain>::generate,
    .cost_s = ShiftedScan<scan_chain>::cost_s,
};

}  // namespace anabranch
