// Along the trees of a plan, which `anabranch plan` computes for a network whose links differ:
// several at once where that is the optimum, slices interleaved in the plan's order.
//
// When: links or ports differ, and ANABRANCH_PLAN names a plan that knows the hosts. Cost: the
// plan's period for its slices, and the way down the deepest tree. The schedules are made from the
// plan (src/plan), not from the number of ranks alone.
// Source: paper B, section 3 (its bound, executed); ALGORITHMS.md, section 4.
#include "algorithms/algorithm.hpp"
#include "algorithms/segments.hpp"

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

double cost_s(const Problem& problem, Values) {
  const PlannedTrees& planned = problem.planned;
  if (planned.slice_bytes == 0) return 0;
  const double slices =
      static_cast<double>(problem.size_bytes) / static_cast<double>(planned.slice_bytes);
  return slices * planned.slice_s;
}

}  // namespace

extern const Algorithm bcast_plan = {
    .id = "bcast/plan",
    .summary = "along the trees that were planned for the hosts (ANABRANCH_PLAN)",
    .source = "paper B, section 3; ours",
    .cost = "n s, s the plan's time for a slice, and the fill of its trees",
    .collective = Collective::bcast,
    .form = Algorithm::Form::plan,
    .parameters = parameters,
    .blocks = segmented_blocks,
    .cost_s = cost_s,
};

}  // namespace anabranch
