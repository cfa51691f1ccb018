// Which cases of an algorithm are tried: sizes, parameters, numbers of blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace anabranch::verify {

// Where defaults and policies change their minds, among others; B.
inline constexpr std::int64_t sizes_bytes[] = {0,     1,      1000,   12287,   12288,
                                               65536, 524287, 524288, 1 << 20, 4 << 20};
inline constexpr std::int32_t most_blocks = 130;  // of those that an algorithm chooses itself

Problem problem_of(std::int32_t ranks, std::int64_t size_bytes);

template <typename T>
void add_once(std::vector<T>& items, T item) {
  if (std::ranges::find(items, item) == items.end()) items.push_back(std::move(item));
}

// Values for the parameters: the defaults of various problems, then each on its own at its limits.
std::vector<std::vector<std::int64_t>> value_sets(const Algorithm& algorithm, std::int32_t ranks);

// Numbers of blocks at which algorithms tend to fail.
std::vector<std::int32_t> default_block_counts(Collective collective, std::int32_t ranks);

}  // namespace anabranch::verify
