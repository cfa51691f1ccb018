// Ranks that are there together combine at once; the late join when they come.
//
// When: ranks arrive at different times, by a message time or more, and messages are long. Those
// that are there combine and leave, and the root waits for the late alone. One that comes last pays
// for one message. Those that come while others combine take over from each other, block by block.
// Cost: as the cheapest reduction of all, and two latencies, where all arrive together; T after the
// last arrival where one is late. Operands are combined in the order of arrivals, so that sums of
// floating-point numbers may have other bits in each run.
// Source: ours; Proficz, J. Supercomputing 74 (2018), arranges a chain by arrivals that are
// predicted.
#include "algorithms/arrival_reductions.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/in_segments.hpp"

namespace anabranch {
namespace {

// Groups are served as if each rank had a node.
std::int64_t default_segment(const Problem& problem) {
  Problem alone = problem;
  alone.nodes = {problem.ranks, 1};
  return segment_for_groups(reduce_chain, alone);
}

constexpr Parameter parameters[] = {segment_parameter(default_segment),
                                    gather_parameter(default_gather_us)};

double cost_s(const Problem& problem, Values values) {
  return arrival_reduction_s(Collective::reduce, problem, segmented_blocks(problem, values));
}

}  // namespace

extern const Algorithm reduce_arrival_groups = {
    .id = "reduce/arrival_groups",
    .summary = "ranks that are there together combine and leave; the late join when they come",
    .source = "ours",
    .cost = "2 alpha more than the cheapest; T after the last arrival where one is late",
    .collective = Collective::reduce,
    .parameters = parameters,
    .commutative_only = true,
    .combines_by_arrival = true,
    .blocks = segmented_blocks,
    .make = start_arrival_groups<Collective::reduce>,
    .cost_s = cost_s,
};

}  // namespace anabranch
