// What rows of evidence look at, of a problem.
#pragma once

#include "algorithms/algorithm.hpp"
#include "evidence/evidence.hpp"

namespace anabranch {

Situation situation_of(Collective collective, const Problem& problem);

}  // namespace anabranch
