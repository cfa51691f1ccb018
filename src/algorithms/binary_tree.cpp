#include "algorithms/binary_tree.hpp"

#include <algorithm>
#include <bit>

namespace anabranch {

std::int32_t rounds_to_first_block(std::int32_t rank) {
  const auto place = static_cast<std::uint32_t>(rank) + 1;
  return std::bit_width(place) - 1 + std::popcount(place) - 1;
}

std::int32_t fill_rounds(std::int32_t ranks) {
  const auto last = static_cast<std::uint32_t>(ranks);
  std::int32_t latest = rounds_to_first_block(ranks - 1);
  // The places up to `last` with the most ones have one of its ones cleared and all digits behind
  // set.
  for (std::uint32_t bit = 1; bit <= last / 2; bit *= 2) {
    if ((last & bit) == 0) continue;
    const std::uint32_t place = (last - bit) | (bit - 1);
    latest = std::max(latest, rounds_to_first_block(static_cast<std::int32_t>(place) - 1));
  }
  if (last > 1) {
    const std::uint32_t shorter = std::bit_floor(last) - 1;
    latest = std::max(latest, rounds_to_first_block(static_cast<std::int32_t>(shorter) - 1));
  }
  return latest;
}

}  // namespace anabranch
