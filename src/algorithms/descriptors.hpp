// The descriptors by name, for the registry and for policies.
#pragma once

#include "algorithms/algorithm.hpp"

namespace anabranch {

#define ANABRANCH_ALGORITHM(name) extern const Algorithm name;
#include "algorithms/list.inc"
#undef ANABRANCH_ALGORITHM

}  // namespace anabranch
