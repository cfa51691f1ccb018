#include "algorithms/mixed_radix.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

bool is_product(std::int32_t number, std::int64_t radix) {
  for (std::int32_t factor = 2; factor <= radix && number > 1; ++factor) {
    while (number % factor == 0) number /= factor;
  }
  return number == 1;
}

// Tries all products of factors that do not grow.
class FewestFactors {
 public:
  std::vector<std::int32_t> search(std::int32_t product, std::int64_t limit) {
    extend(product, limit);
    return best_;
  }

 private:
  void extend(std::int32_t rest, std::int64_t limit) {
    if (rest == 1) {
      if (best_.empty() || is_better()) best_ = taken_;
      return;
    }
    if (!best_.empty() && taken_.size() >= best_.size()) return;
    for (std::int64_t factor = std::min<std::int64_t>(limit, rest); factor > 1; --factor) {
      if (rest % factor != 0) continue;
      taken_.push_back(static_cast<std::int32_t>(factor));
      extend(static_cast<std::int32_t>(rest / factor), factor);
      taken_.pop_back();
    }
  }

  bool is_better() const {
    if (taken_.size() != best_.size()) return taken_.size() < best_.size();
    return std::reduce(taken_.begin(), taken_.end()) < std::reduce(best_.begin(), best_.end());
  }

  std::vector<std::int32_t> taken_;
  std::vector<std::int32_t> best_;
};

}  // namespace

std::int32_t largest_product(std::int32_t ranks, std::int64_t radix) {
  std::int32_t product = ranks;
  while (!is_product(product, radix)) --product;
  return product;
}

std::vector<std::int32_t> factors_up_to(std::int64_t radix, std::int32_t product) {
  return FewestFactors().search(product, radix);
}

MixedRadix::MixedRadix(std::int32_t ranks, std::int64_t radix)
    : folding_(ranks, largest_product(ranks, radix)) {
  std::int32_t distance = 1;
  std::int32_t round = folds() / 2;
  for (const std::int32_t factor : factors_up_to(radix, folding_.groups())) {
    steps_.push_back({factor, distance, round});
    distance *= factor;
    round += factor - 1;
  }
  rounds_ = round + folds() / 2;
}

double parts_exchange_time_s(const Problem& problem, const MixedRadix& exchange, double parts) {
  if (problem.ranks == 1) return 0;
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  const double message_bytes = (problem.ranks - 1) * part_bytes / ceil_log2(problem.ranks);
  return turns_time_s(problem.network.starting_as(message_bytes), exchange.turns(),
                      parts * part_bytes / exchange.rounds());
}

std::int64_t best_radix_of(const Problem& problem, RadixCost cost_s) {
  Problem without_waiting = problem;
  const bool overlaps = problem.network.overhead_s > 0;
  if (overlaps) {
    without_waiting.network.latency_s = 0;
    without_waiting.network.gap_s = 0;
    without_waiting.network.overhead_s /= 2;  // the receiver's, beside the sender's next one
  }
  std::int64_t best = 2;
  double best_s = std::numeric_limits<double>::infinity();
  const std::int64_t most =
      std::clamp<std::int64_t>(problem.ranks, 2, exchange_radix_parameter(nullptr).maximum);
  for (std::int64_t radix = 2; radix <= most; ++radix) {
    const MixedRadix exchange(problem.ranks, radix);
    const double waiting_s = overlaps ? exchange.levels() * problem.network.latency_s : 0;
    const double time_s = waiting_s + cost_s(without_waiting, exchange);
    if (time_s >= best_s * (1 - 1e-9)) continue;
    best_s = time_s;
    best = radix;
  }
  return best;
}

}  // namespace anabranch
