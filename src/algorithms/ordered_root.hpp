// Reductions to any root that keep the order of operands.
#pragma once

#include "algorithms/algorithm.hpp"

namespace anabranch {

// Schedules count ranks from the root, so that a reduction which keeps the order of its ranks keeps
// that of absolute ranks only where rank 0 is the root. This is what `rank` (relative to the root)
// does for any other: the reduction to absolute rank 0, which passes the result on to the root.
Schedule ordered_reduction(const Algorithm& reduction, std::int32_t ranks, std::int32_t rank,
                           std::int32_t root, std::int32_t blocks, Values values);

}  // namespace anabranch
