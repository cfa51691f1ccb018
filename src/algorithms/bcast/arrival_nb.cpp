// As arrival_b, but while nobody waits the root sends to ranks that have not arrived yet: the
// blocks lie there until they do.
//
// When: the MPI buffers short messages and receivers have memory for what comes early (`cap` limits
// it). Cost: at most 2T after its arrival for each receiver, (p - 1)T for the root; within 3 of the
// optimum in the non-blocking model. Source: paper A, section 4, figure 4.
#include "algorithms/arrival_aware.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {chain_segment_parameter, no_gather_parameter, group_parameter,
                                    large_cap_parameter};

std::unique_ptr<Execution> start(const Group& group, std::int32_t block_count, Values values,
                                 const Conditions& conditions) {
  const ArrivalRules rules = {.pushes = true,
                              .gather_s = static_cast<double>(values[1]) * 1e-6,
                              .max_pushed = messages_within(values[3], conditions)};
  return start_arrival_aware(
      group, block_count, conditions, rules,
      group_schedules(without_places(group), conditions, block_count, values[0], values[2]));
}

// The root serves the first before any control message has come, and then the others as a group.
double cost_s(const Problem& problem, Values values) {
  if (problem.ranks < 2) return 0;
  const double latency_s = problem.network.latency_s;
  const double first_s = latency_s + serving_one_s(without_places(problem), values[0]);
  if (problem.ranks == 2) return first_s;
  return first_s + latency_s +
         serving_group_s(without_places(problem), problem.ranks - 1, values[0], values[2]);
}

}  // namespace

extern const Algorithm bcast_arrival_nb = {
    .id = "bcast/arrival_nb",
    .summary = "as arrival_b, and meanwhile the root sends to ranks that are absent",
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
