// A smooth stand-in for the maximum of loads: softness * log(sum exp(load / softness)).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace anabranch::platform {

// Of loads + step * direction (no direction: of the loads). Its slopes by load are the weights,
// which are not negative and sum to one.
class Softmax {
 public:
  Softmax(std::span<const double> loads, std::span<const double> direction, double step,
          double softness)
      : weights_(loads.begin(), loads.end()) {
    for (std::size_t index = 0; index < direction.size(); ++index) {
      weights_[index] += step * direction[index];
    }
    maximum_ = *std::max_element(weights_.begin(), weights_.end());
    double sum = 0;
    double weighted = 0;
    double rise = 0;
    double squares = 0;
    for (std::size_t index = 0; index < weights_.size(); ++index) {
      const double below = weights_[index] - maximum_;
      const double weight = std::exp(below / softness);
      weights_[index] = weight;
      sum += weight;
      weighted += weight * below;
      if (direction.empty()) continue;
      rise += weight * direction[index];
      squares += weight * direction[index] * direction[index];
    }
    for (double& weight : weights_) weight /= sum;
    mean_ = maximum_ + weighted / sum;
    slope_ = rise / sum;
    curvature_ = (squares / sum - slope_ * slope_) / softness;
  }

  std::span<const double> weights() const { return weights_; }
  double maximum() const { return maximum_; }
  double mean() const { return mean_; }  // of the loads, weighted
  // Along the direction.
  double slope() const { return slope_; }
  double curvature() const { return curvature_; }

 private:
  std::vector<double> weights_;
  double maximum_ = 0;
  double mean_ = 0;
  double slope_ = 0;
  double curvature_ = 0;
};

// The step in [0, most] after which the softmax is least, to within a few per cent: Newton's
// method, kept within the bounds that the slopes' signs give, and halving them where it fails.
inline double best_step(std::span<const double> loads, std::span<const double> direction,
                        double most, double softness) {
  constexpr int iterations = 50;
  constexpr double near = 0.03;
  double low = 0;
  double high = most;
  double step = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const Softmax at_step(loads, direction, step, softness);
    if (at_step.slope() < 0) {
      if (step >= most) return most;
      low = step;
    } else {
      if (step <= 0) return 0;
      high = step;
    }
    if (low > 0 && high - low <= near * high) break;
    double next = at_step.curvature() > 0 ? step - at_step.slope() / at_step.curvature() : most;
    if (next >= most && high >= most && step < most) {
      next = most;
    } else if (!(next > low && next < high)) {
      next = (low + high) / 2;
    }
    if (iteration > 0 && std::abs(next - step) <= near * next / 4) return next;
    step = next;
  }
  return low;  // where it still falls
}

}  // namespace anabranch::platform
