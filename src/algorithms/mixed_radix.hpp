// Recursive multiplying: recursive doubling whose steps may have other factors than two. The ranks
// are as many groups as a product of factors up to the radix can be, most of one rank; the first
// ranks are folded in pairs to that end. In the step of a factor f as many groups, whose numbers
// differ in one digit, exchange all with all: f - 1 messages each.
//
// Source: Wilkins et al., Generalized collective algorithms for the exascale era, CLUSTER 2023,
// where all factors are the radix; mixed ones leave fewer ranks to fold.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/folding.hpp"
#include "algorithms/segments.hpp"

namespace anabranch {

// The largest number up to `ranks` that is a product of factors up to `radix`.
std::int32_t largest_product(std::int32_t ranks, std::int64_t radix);
// As few factors as possible, of these the ones with the least sum; largest first.
std::vector<std::int32_t> factors_up_to(std::int64_t radix, std::int32_t product);

// One factor: groups `distance` apart.
struct RadixStep {
  std::int32_t factor = 2;
  std::int32_t distance = 1;
  std::int32_t round = 0;  // of its first message, of factor - 1

  std::int32_t digit(std::int32_t group) const { return group / distance % factor; }
  // The same group but for the digit, which is counted on by `ahead`, around.
  std::int32_t shifted(std::int32_t group, std::int32_t ahead) const {
    const std::int32_t now = digit(group);
    return group + ((now + ahead) % factor - now) * distance;
  }
};

class MixedRadix {
 public:
  MixedRadix(std::int32_t ranks, std::int64_t radix);

  const Folding& folding() const { return folding_; }
  // Neighbours first.
  const std::vector<RadixStep>& steps() const { return steps_; }
  // Of one message each, with those of pairs in the first and the last one.
  std::int32_t rounds() const { return rounds_; }
  // In which ranks wait for messages: less than rounds, as several may be under way at once.
  std::int32_t levels() const { return static_cast<std::int32_t>(steps_.size()) + folds(); }

  Turns turns() const { return {static_cast<double>(rounds_), static_cast<double>(levels())}; }

  // Calls visit(round, to, from, step) for each message of the group that acts.
  template <typename Visit>
  void for_each_message(std::int32_t group, const Visit& visit) const {
    for (const RadixStep& step : steps_) {
      for (std::int32_t ahead = 1; ahead < step.factor; ++ahead) {
        visit(step.round + ahead - 1, step.shifted(group, ahead),
              step.shifted(group, step.factor - ahead), step);
      }
    }
  }

 private:
  std::int32_t folds() const { return folding_.pairs() > 0 ? 2 : 0; }

  Folding folding_;
  std::vector<RadixStep> steps_;
  std::int32_t rounds_;
};

// Time of messages that carry `parts` parts in all, s. Handshakes count as where all parts take q
// messages (parts_in_rounds_time_s): only rounds and parts make a difference to that.
double parts_exchange_time_s(const Problem& problem, const MixedRadix& exchange, double parts);

// The radix with the least cost, of equal ones the least. Where a message costs its sender
// something beside the time on the wire, messages of one level are under way at once, each after
// the overhead of those before it (LogP).
using RadixCost = double (*)(const Problem&, const MixedRadix&);
std::int64_t best_radix_of(const Problem& problem, RadixCost cost_s);

constexpr Parameter exchange_radix_parameter(std::int64_t (*default_value)(const Problem&)) {
  return {.name = "radix",
          .summary = "groups that exchange all with all in one step at most; 2: recursive doubling",
          .minimum = 2,
          .maximum = 64,
          .default_value = default_value};
}

}  // namespace anabranch
