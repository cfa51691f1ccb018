// When a median is known well enough: its 95 % interval by order statistics, free of any assumption
// about how times are distributed. anabranch.bench.statistics reports the same interval.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace anabranch::bench {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

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
  return (at(count - ranks_left_out) - at(ranks_left_out - 1)) / 2 / median(values);
}

}  // namespace anabranch::bench
