// When a median is known well enough: its 95 % interval by order statistics, free of any assumption
// about how times are distributed. anabranch.bench.statistics reports the same interval.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace anabranch::bench {

// Half of the 95 % confidence interval of the median, over the median. Infinite for fewer than six
// values, whose range does not cover 95 %.
inline double relative_half_interval(std::vector<double> values) {
  const auto count = static_cast<int>(values.size());
  // The k-th smallest and largest enclose the median unless fewer than k values lie on one side.
  int ranks_left_out = 0;
  double probability = std::exp2(-count);
  double cumulated = probability;
  while (cumulated <= 0.025 && 2 * ranks_left_out + 2 <= count) {
    ++ranks_left_out;
    probability *= static_cast<double>(count - ranks_left_out + 1) / ranks_left_out;
    cumulated += probability;
  }
  if (ranks_left_out == 0) return INFINITY;
  std::sort(values.begin(), values.end());
  const auto at = [&](int index) { return values[static_cast<std::size_t>(index)]; };
  const double median = (at((count - 1) / 2) + at(count / 2)) / 2;
  return (at(count - ranks_left_out) - at(ranks_left_out - 1)) / 2 / median;
}

}  // namespace anabranch::bench
