// Schedules number ranks from the root on, so that one schedule serves every root.
#pragma once

#include <cstdint>

namespace anabranch {

inline std::int32_t relative_rank(std::int32_t rank, std::int32_t root, std::int32_t ranks) {
  return rank >= root ? rank - root : rank - root + ranks;
}

inline std::int32_t absolute_rank(std::int32_t relative, std::int32_t root, std::int32_t ranks) {
  return relative < ranks - root ? relative + root : relative - (ranks - root);
}

}  // namespace anabranch
