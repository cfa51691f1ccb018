// The rounds of a one-port plan: what may go at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace anabranch {

// When each node receives each slice of the first period, by place and node: the round counted
// from the start of that period. -1 at the root. The plan must have rounds.
std::vector<std::vector<std::int64_t>> rounds_of_arrival(const Plan& plan);

// Why the plan's rounds cannot be followed: a port that is used twice in a round, a slice that does
// not come to all nodes or leaves one before it is there. Empty where they can, or there are none.
std::string fault_of_rounds(const Plan& plan);

}  // namespace anabranch
