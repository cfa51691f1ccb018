// Which bytes the blocks of a collective are where all ranks have parts of one size.
#pragma once

#include <cstdint>

#include "collectives/collective.hpp"
#include "schedule/layout.hpp"

namespace anabranch {

// size_bytes is that of Problem; parts are rounded up to whole bytes, and cut into `blocks` blocks.
// Scratch block i has the size of block i of the larger buffer, again and again.
Layouts even_layouts(Collective collective, std::int32_t ranks, std::int32_t blocks,
                     std::int64_t size_bytes);

}  // namespace anabranch
