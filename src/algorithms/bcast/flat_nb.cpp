// The root sends the message to each rank in turn, whether it has arrived or not.
//
// When: a baseline, for few ranks of which most are late, and an MPI that buffers short messages
// (`cap` limits what lies at ranks that have not arrived). Cost: (p - 1)T in the worst case.
// Source: paper A, section 5 ("flat_nb").
#include "algorithms/arrival_aware.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {chain_segment_parameter, large_cap_parameter};

std::unique_ptr<Execution> start(const Group& group, std::int32_t block_count, Values values,
                                 const Conditions& conditions) {
  const ArrivalRules rules = {
      .groups = false, .pushes = true, .max_pushed = messages_within(values[1], conditions)};
  return start_arrival_aware(
      group, block_count, conditions, rules,
      group_schedules(without_places(group), conditions, block_count, values[0], -1));
}

double cost_s(const Problem& problem, Values values) {
  return (problem.ranks - 1) *
         (problem.network.latency_s + serving_one_s(without_places(problem), values[0]));
}

}  // namespace

extern const Algorithm bcast_flat_nb = {
    .id = "bcast/flat_nb",
    .summary = "the root sends to each rank in turn, whether it is there or not",
    .source = "paper A, section 5",
    .cost = "(p - 1)(alpha + beta m)",
    .collective = Collective::bcast,
    .parameters = parameters,
    .for_comparison = true,
    .blocks = segmented_blocks,
    .make = start,
    .cost_s = cost_s,
};

}  // namespace anabranch
