// Integer logarithms, for rounds and trees.
#pragma once

#include <bit>
#include <cstdint>

namespace anabranch {

constexpr std::int32_t ceil_log2(std::int32_t value) {
  return value <= 1 ? 0 : std::bit_width(static_cast<std::uint32_t>(value) - 1);
}

constexpr std::int32_t floor_log2(std::int32_t value) {
  return std::bit_width(static_cast<std::uint32_t>(value)) - 1;
}

}  // namespace anabranch
