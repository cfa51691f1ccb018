// Segments pass from rank to rank, each combining its own.
//
// When: long messages: the last rank is done one pass of the message after the first segment.
// Cost: (p - 2 + n)(alpha + beta m / n). Operands keep their order.
// Source: the field's pipeline; Sanders, Traff, Parallel prefix (scan) algorithms for MPI, 2006.
#include "algorithms/descriptors.hpp"
#include "algorithms/pipelined_scan.hpp"
#include "algorithms/segments.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {segment_parameter(
    [](const Problem& problem) { return bcast_chain.parameters[0].default_value(problem); })};

double cost_s(const Problem& problem, Values values) { return bcast_chain.cost_s(problem, values); }

}  // namespace

extern const Algorithm scan_chain = {
    .id = "scan/chain",
    .summary = "segments pass from rank to rank, each combining its own",
    .source = "Sanders, Traff, Parallel prefix (scan) algorithms for MPI (2006)",
    .cost = "(p - 2 + n)(alpha + beta m / n)",
    .collective = Collective::scan,
    .parameters = parameters,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = segmented_blocks,
    .make = pipelined_scan,
    .cost_s = cost_s,
};

}  // namespace anabranch
