#include "select/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace anabranch {
namespace {

using Ratios = std::array<double, Trial::pairs>;

// Of the favourite's time over the other's in each neighbouring pair, the least first.
Ratios ratios_of(const Trial::Times& sums_ns) {
  Ratios ratios{};
  for (std::size_t i = 0; i < Trial::pairs; ++i) {
    const auto one = static_cast<double>(sums_ns[i]);
    const auto next = static_cast<double>(sums_ns[i + 1]);
    ratios[i] = i % 2 == 0 ? one / next : next / one;  // the favourite has the even calls
  }
  std::ranges::sort(ratios);
  return ratios;
}

double median(const Ratios& sorted) {
  return std::sqrt(sorted[Trial::pairs / 2 - 1] * sorted[Trial::pairs / 2]);
}

// After how many calls the slower one may serve as often again.
std::int64_t calls_to_next_round(double times_as_fast) {
  constexpr double calls_of_the_other = Trial::timed_calls / 2;
  const double lost = calls_of_the_other * std::max(times_as_fast - 1, 0.0);
  constexpr double longest = 1e9;
  return std::max(Trial::least_between_rounds,
                  static_cast<std::int64_t>(std::min(lost / Trial::most_lost, longest)));
}

}  // namespace

Way Trial::way() const {
  const bool is_the_others = is_timed() && call_ % 2 == 1;
  return is_the_others ? other_than(favourite_) : favourite_;
}

void Trial::end_call(double took_s) {
  if (is_timed()) times_ns_[static_cast<std::size_t>(call_)] = std::llround(took_s * 1e9);
  ++call_;
}

Trial::Verdict Trial::conclude(const Times& sums_ns) {
  Verdict verdict{.winner = favourite_};
  if (std::ranges::all_of(sums_ns, [](std::int64_t sum) { return sum > 0; })) {
    const Ratios ratios = ratios_of(sums_ns);
    const auto slower = static_cast<std::size_t>(
        std::ranges::count_if(ratios, [](double ratio) { return ratio > 1; }));
    const double ratio = median(ratios);
    verdict.is_changed = slower + pairs_that_may_differ >= pairs && ratio >= clearly_slower;
    verdict.times_as_fast = verdict.is_changed ? ratio : 1 / ratio;
    verdict.pairs_won = verdict.is_changed ? slower : pairs - slower;
    if (verdict.is_changed) verdict.winner = favourite_ = other_than(favourite_);
  }
  verdict.next_round = calls_to_next_round(verdict.times_as_fast);
  call_ = -verdict.next_round;
  times_ns_ = {};
  return verdict;
}

std::string text_of(const Trial::Verdict& verdict) {
  std::array<char, 128> text{};
  const bool is_native = verdict.winner == Way::native;
  std::snprintf(
      text.data(), text.size(), "%s %s: %.2f times as fast as %s, faster in %zu of %zu pairs",
      is_native ? "native" : "the choice", verdict.is_changed ? "from now on" : "stays",
      verdict.times_as_fast, is_native ? "the choice" : "native", verdict.pairs_won, Trial::pairs);
  return text.data();
}

}  // namespace anabranch
