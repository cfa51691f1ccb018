// Each rank waits for the one before it, combines, and passes the result on.
//
// When: a baseline; few ranks. Cost: (p - 1)(alpha + beta m). Operands keep their order.
// Source: the field's simplest; MPICH 1.2.4, of whose scan paper D says nothing more.
#include "algorithms/pipelined_scan.hpp"
#include "algorithms/segments.hpp"

namespace anabranch {
namespace {

double cost_s(const Problem& problem, Values) {
  return rounds_time_s(problem, problem.ranks - 1, 1);
}

}  // namespace

extern const Algorithm scan_linear = {
    .id = "scan/linear",
    .summary = "each rank combines what the one before it has, and passes it on",
    .source = "MPICH 1.2.4",
    .cost = "(p - 1)(alpha + beta m)",
    .collective = Collective::scan,
    .uses_ports_in_turn = true,
    .blocks = one_block,
    .make = pipelined_scan,
    .cost_s = cost_s,
};

}  // namespace anabranch
