// Binary trees in which a rank sends to its first child one round after it received, to its second
// child two rounds after.
#pragma once

#include <cstdint>

namespace anabranch {

// Rounds after which a rank has its first block. The binary digits of rank + 1 behind the leading
// one are the path from the root, in either direction: 0 is a first child, one round later, 1 a
// second child, two later.
std::int32_t rounds_to_first_block(std::int32_t rank);

// The latest of all ranks.
std::int32_t fill_rounds(std::int32_t ranks);

}  // namespace anabranch
