// Which operations an operation must wait for: the earlier ones that touch its blocks, where at
// least one of the two writes. Operations must be sorted by the round of their first instance.
#pragma once

#include "schedule/schedule.hpp"

namespace anabranch {

void derive_dependencies(Schedule& schedule);

// Whether two sets, moved on by so many blocks, have a block in common.
bool overlap(const BlockSet& a, std::int64_t shift_a, const BlockSet& b, std::int64_t shift_b);

}  // namespace anabranch
