// The root serves those that have arrived together, then those that have arrived meanwhile, and so
// on: nobody waits for a late one but those that come during a round.
//
// When: a baseline; baton is better wherever ranks arrive one by one. Cost: at most 2T after its
// arrival for each receiver; within 3 of the optimum (2.5 with the right lower bound).
// Source: paper A, section 4, figure 5.
#include "algorithms/arrival_aware.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {chain_segment_parameter, no_gather_parameter, group_parameter};

std::unique_ptr<Execution> start(const Group& group, std::int32_t block_count, Values values,
                                 const Conditions& conditions) {
  const ArrivalRules rules = {.gather_s = static_cast<double>(values[1]) * 1e-6};
  return start_arrival_aware(
      group, block_count, conditions, rules,
      group_schedules(without_places(group), conditions, block_count, values[0], values[2]));
}

// All control messages come at once: the root serves the first by itself, and then the others as a
// group.
double cost_s(const Problem& problem, Values values) {
  if (problem.ranks < 2) return 0;
  const double latency_s = problem.network.latency_s;
  const double first_s = 2 * latency_s + serving_one_s(without_places(problem), values[0]);
  if (problem.ranks == 2) return first_s;
  return first_s + latency_s +
         serving_group_s(without_places(problem), problem.ranks - 1, values[0], values[2]);
}

}  // namespace

extern const Algorithm bcast_arrival_b = {
    .id = "bcast/arrival_b",
    .summary = "the root serves the ranks that have arrived together, round after round",
    .source = "paper A, section 4",
    .cost = "at most 2T for each receiver from its arrival",
    .collective = Collective::bcast,
    .parameters = parameters,
    .for_comparison = true,
    .blocks = segmented_blocks,
    .make = start,
    .cost_s = cost_s,
};

}  // namespace anabranch
