// Which operations an operation must wait for: the earlier ones that touch its blocks, where at
// least one of the two writes (conflicts.hpp); found without comparing all pairs where that is
// cheaper. Operations must be sorted by the round of their first instance.
#pragma once

#include "schedule/schedule.hpp"

namespace anabranch {

void derive_dependencies(Schedule& schedule);

}  // namespace anabranch
