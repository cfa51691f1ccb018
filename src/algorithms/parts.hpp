// What algorithms on parts, one per rank, have in common.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algorithms/segments.hpp"

namespace anabranch {

// Time of `rounds` messages one after the other that carry `parts` parts in all, s.
double parts_time_s(const Problem& problem, double rounds, double parts);

// Algorithm::cost_s where the busiest port carries the parts of all other ranks one by one.
double part_per_rank_time_s(const Problem& problem, Values values);

}  // namespace anabranch
