// Scans in which each rank combines what comes from the one before it and passes it on.
#pragma once

#include "algorithms/algorithm.hpp"

namespace anabranch {

// Algorithm::generate: block by block. Operands keep their order.
Schedule pipelined_scan(std::int32_t ranks, std::int32_t rank, std::int32_t block_count, Values);

}  // namespace anabranch
