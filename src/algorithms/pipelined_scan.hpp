// Scans in which each rank combines what comes from the one before it and passes it on.
#pragma once

#include "algorithms/algorithm.hpp"

namespace anabranch {

// Algorithm::make: block by block. Operands keep their order.
Schedule pipelined_scan(const Group& group, std::int32_t block_count, Values);

}  // namespace anabranch
