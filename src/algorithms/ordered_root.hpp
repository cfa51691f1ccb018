// Reductions to any root that keep the order of operands.
#pragma once

#include "algorithms/algorithm.hpp"

namespace anabranch {

// Schedules count ranks from the root, so that a reduction which keeps the order of its ranks keeps
// that of absolute ranks only where rank 0 is the root. For any other root this is the reduction to
// absolute rank 0, which passes the result on to the root.
Schedule ordered_reduction(MakeSchedule reduction, const Group& group, std::int32_t blocks,
                           Values values);

}  // namespace anabranch
