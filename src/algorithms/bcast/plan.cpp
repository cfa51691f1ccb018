// Along the trees of a plan, which `anabranch plan` computes for a network whose links differ:
// several at once where that is the optimum, slices interleaved in the plan's order.
//
// When: links or ports differ, and ANABRANCH_PLAN names a plan that knows the hosts. Cost: the
// plan's period for its slices, and the way down the deepest tree. The schedules are made from the
// plan (src/plan), not from the number of ranks alone.
// Source: paper B, section 3 (its bound, executed); docs/theory/trees.md.
#include "algorithms/segments.hpp"
#include "plan/rank_trees.hpp"

namespace anabranch {
namespace {

std::int64_t slice_bytes(const Problem& problem) {
  constexpr std::int64_t without_a_plan = 8192;
  return problem.planned.slice_bytes > 0 ? problem.planned.slice_bytes : without_a_plan;
}

constexpr Parameter parameters[] = {{.name = "slice",
                                     .summary = "bytes of a slice; those of the plan unless given",
                                     .minimum = 1,
                                     .maximum = std::int64_t{1} << 40,
                                     .default_value = slice_bytes}};

// One message after the other where the plan counts on it; in its rounds also at the receiver,
// which takes the next one only when it has the last. Else enough for all links to be busy at once,
// however slow one of them is.
Pace pace_of(const Plan& plan) {
  if (!plan.serial) return {.min_sends = Window::maximum / 4};
  return {.max_receives = plan.rounds.empty() ? Window::maximum : 1,
          .max_sends = 1,
          .is_synchronous = true};
}

Schedule generate(const Group& group, std::int32_t slices, Values) {
  const Plan& plan = *group.places->plan();
  const RankTrees trees = fit(plan, group.places->host_of_rank(), group.root);
  Schedule schedule = tree_schedule(trees, group.rank, slices);
  schedule.pace = pace_of(plan);
  return schedule;
}

// With a rank on each host. Slices of several trees may wait for those of others, and more so where
// the ranks of a host pass them on to each other in between.
double cost_s(const Problem& problem, Values) {
  const PlannedTrees& planned = problem.planned;
  if (planned.slice_bytes == 0 || problem.size_bytes == 0) return 0;
  const std::int32_t slices = segment_count(problem.size_bytes, planned.slice_bytes);
  return slices * planned.slice_s + planned.fill_s;
}

}  // namespace

extern const Algorithm bcast_plan = {
    .id = "bcast/plan",
    .summary = "along the trees that were planned for the hosts (ANABRANCH_PLAN)",
    .source = "paper B, section 3; ours",
    .cost = "n s, s the plan's time for a slice, and the fill of its trees",
    .collective = Collective::bcast,
    .parameters = parameters,
    .needs_plan = true,
    .blocks = segmented_blocks,
    .make = generate,
    .cost_s = cost_s,
    .cost_slack = 4,  // of eight slices or more; fewer do not fill the trees
    .cost_is_bound = true,
};

}  // namespace anabranch
