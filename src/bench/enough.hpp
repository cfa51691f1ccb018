// How often a size is measured. Rank 0 decides and the others follow its steps, so that all ranks
// agree whatever they measured themselves.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench/median.hpp"

namespace anabranch::bench {

struct Extent {
  int minimum_repetitions = 6;
  int maximum_repetitions = 50;
  // Up to which it goes on where the median of an algorithm is known worse than tolerated: short
  // messages vary most, and cost least. No more than maximum_repetitions: it does not go on.
  int extended_repetitions = 0;
  double precision = 0.03;  // half of the 95 % interval over the median
  double tolerated_precision = 0.15;
  double maximum_s = 30;
};

// Empty while more repetitions are needed. results_s: of each algorithm.
inline std::string why_enough(const Extent& extent, int repetitions,
                              const std::vector<std::vector<double>>& results_s, double elapsed_s) {
  if (repetitions < extent.minimum_repetitions) return "";
  const int most = std::max(extent.maximum_repetitions, extent.extended_repetitions);
  if (repetitions >= most) return "repetitions";
  if (elapsed_s >= extent.maximum_s) return "seconds";
  double widest = 0;
  for (const auto& values : results_s) widest = std::max(widest, relative_half_interval(values));
  if (widest <= extent.precision) return "precision";
  const bool is_bearable = widest <= extent.tolerated_precision;
  return repetitions >= extent.maximum_repetitions && is_bearable ? "repetitions" : "";
}

}  // namespace anabranch::bench
