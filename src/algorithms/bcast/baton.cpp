// Whoever arrives takes the blocks from the one that arrived before him, for as long as that one is
// there, and the rest from the root.
//
// When: ranks arrive at different times, by a message time or more, and messages are long. The one
// before is always further ahead, and the times in which the root serves never overlap. So in the
// model every receiver leaves one message time after it arrives, whatever the others do, and only
// the root waits for the last one. Ranks that are there together are served by one schedule: all of
// them by the one that would serve them anyway, some by a chain, from whose last member it goes on.
// The root gathers such a group for a hundredth of the message time, or as long as they came apart
// the last time. Where several ranks share a node, a group is served over nodes, and who arrives
// takes all from one of its node; where there is a plan, groups go along its trees, and late ranks
// take from the root. With `cap` the root sends to the absent while nobody else waits, and need not
// stay. Cost: T after its arrival for each receiver, nT + Delta in total: within 3/2 - 1/(2n) of
// the optimum.
// Source: ours; docs/theory/arrivals.md proves it.
#include "algorithms/arrival_aware.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {segment_parameter(segment_at_places),
                                    gather_parameter(default_gather_us), group_parameter,
                                    no_cap_parameter};

std::unique_ptr<Execution> start(const Group& group, std::int32_t block_count, Values values,
                                 const Conditions& conditions) {
  const ArrivalRules rules = {.relays = true,
                              .pushes = values[3] > 0,
                              .gather_s = static_cast<double>(values[1]) * 1e-6,
                              .max_pushed = messages_within(values[3], conditions)};
  return start_arrival_aware(group, block_count, conditions, rules,
                             group_schedules(group, conditions, block_count, values[0], values[2]));
}

// All control messages come at once: the root serves one group.
double cost_s(const Problem& problem, Values values) {
  if (problem.ranks < 2) return 0;
  return 2 * problem.network.latency_s +
         serving_group_s(problem, problem.ranks, values[0], values[2]);
}

}  // namespace

extern const Algorithm bcast_baton = {
    .id = "bcast/baton",
    .summary = "each rank that arrives takes from the one before it, and the rest from the root",
    .source = "ours",
    .cost = "T for each receiver from its arrival; together 2 alpha more than the default",
    .collective = Collective::bcast,
    .parameters = parameters,
    .may_use_places = true,
    .blocks = segmented_blocks,
    .make = start,
    .cost_s = cost_s,
};

}  // namespace anabranch
