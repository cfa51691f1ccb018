// Many trees at once: how many slices a second along each, so that in sum they are as many as the
// resources allow, with a proof of how far from that they are, at any time.
//
// The shares of the trees minimise the largest load of a resource. Its softmax stands in for it;
// the softmax's slopes are prices of the resources, and the tree that is cheapest at these prices
// takes over from a dear one of those in use as much as is best (a pairwise Frank-Wolfe step with
// exact line search). The softmax sharpens as the prices settle. At all prices a period is at least
// the cost of the cheapest tree over the sum of the prices, so each step also gives a bound.
// Source: the bound is linear programming duality; pairwise steps after Lacoste-Julien and Jaggi
// (2015); the formulation of the optimum as a packing is this project's (paper B gives a linear
// program without the trees).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "platform/slice_platform.hpp"

namespace anabranch::platform {

struct PackingProgress {
  std::int64_t steps = 0;
  double rate_per_s = 0;   // reached, slices a second
  double bound_per_s = 0;  // proven: no set of trees is faster
  std::int64_t trees = 0;  // in use
  // The share of the bound that may be missing.
  double gap() const { return 1 - rate_per_s / bound_per_s; }
};

struct Packing {
  std::vector<Tree> trees;  // by falling rate
  std::vector<double> rates_per_s;
  PackingProgress reached;
};

// Stops when the gap is small enough, when prices can get no sharper, or when `proceed`, asked
// after each step, says so. Deterministic but for the latter. A step costs O(E log V + 64 V).
// Throws std::invalid_argument: nodes out of reach, a gap that is negative, nothing that limits.
Packing pack_trees(const SlicePlatform& platform, std::int32_t root, double gap,
                   const std::function<bool(const PackingProgress&)>& proceed);

}  // namespace anabranch::platform
