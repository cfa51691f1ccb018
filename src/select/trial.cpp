#include "select/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace anabranch {
namespace {

// A rival's calls beside the favourite's.
struct Comparison {
  std::size_t rival = 0;
  double speed = 1;  // as a multiple of the favourite's, in the median pair
  std::size_t pairs_won = 0;

  bool is_clearly_faster() const {
    return pairs_won + Trial::pairs_that_may_differ >= Trial::pairs &&
           speed >= Trial::clearly_slower;
  }
};

// The rival has every so many-th of the calls that are not the favourite's.
Comparison compare(std::span<const std::int64_t> sums_ns, std::span<const std::size_t> rivals,
                   std::size_t place) {
  std::array<double, Trial::pairs> ratios{};
  for (std::size_t i = 0; i < Trial::calls_of_a_rival; ++i) {
    const std::size_t call = 2 * (i * rivals.size() + place) + 1;
    const auto own = static_cast<double>(sums_ns[call]);
    ratios[2 * i] = static_cast<double>(sums_ns[call - 1]) / own;
    ratios[2 * i + 1] = static_cast<double>(sums_ns[call + 1]) / own;
  }
  std::ranges::sort(ratios);
  const double median = std::sqrt(ratios[Trial::pairs / 2 - 1] * ratios[Trial::pairs / 2]);
  const auto won = std::ranges::count_if(ratios, [](double ratio) { return ratio > 1; });
  return {rivals[place], median, static_cast<std::size_t>(won)};
}

bool is_slower(const Comparison& one, const Comparison& other) { return one.speed < other.speed; }

// The fastest of those that are clearly faster than the favourite; else the favourite stays, and
// is compared with the fastest of all.
Trial::Verdict verdict_of(std::span<const Comparison> all, std::size_t favourite) {
  std::vector<Comparison> faster;
  std::ranges::copy_if(all, std::back_inserter(faster), &Comparison::is_clearly_faster);
  if (!faster.empty()) {
    const Comparison& best = *std::ranges::max_element(faster, is_slower);
    return {best.rival, favourite, true, best.speed, best.pairs_won};
  }
  const Comparison& nearest = *std::ranges::max_element(all, is_slower);
  return {favourite, nearest.rival, false, 1 / nearest.speed, Trial::pairs - nearest.pairs_won};
}

// In calls of the winner: by how much longer the others' took.
double calls_lost(std::span<const Comparison> all, const Trial::Verdict& verdict) {
  const double best = verdict.is_changed ? verdict.times_as_fast : 1;
  double lost = best - 1;  // of each call of the former favourite
  for (const Comparison& each : all) lost += std::max(best / each.speed - 1, 0.0);
  return Trial::calls_of_a_rival * lost;
}

}  // namespace

void Trial::begin_round() {
  rivals_.clear();
  const bool all_were_compared = compared_ == contenders_;
  const std::size_t first = all_were_compared ? 0 : compared_;
  const std::size_t last = compared_ == 1 ? 1 : contenders_ - 1;
  for (std::size_t contender = first; contender <= last; ++contender) {
    if (contender != favourite_) rivals_.push_back(contender);
  }
  compared_ = last + 1;
  times_ns_ = {};
}

std::size_t Trial::serving() const {
  if (!is_timed() || call_ % 2 == 0) return favourite_;
  return rivals_[static_cast<std::size_t>(call_ / 2) % rivals_.size()];
}

void Trial::end_call(double took_s) {
  if (is_timed()) times_ns_[static_cast<std::size_t>(call_)] = std::llround(took_s * 1e9);
  ++call_;
}

// After how many calls slower ones may serve again: at once while some were not compared yet and
// little was lost.
std::int64_t Trial::calls_to_next_round(double lost_calls) {
  lost_calls_ += lost_calls;
  const bool some_are_left = compared_ < contenders_;
  if (some_are_left && lost_calls_ <= most_lost * least_between_rounds) return 0;
  constexpr double longest = 1e9;
  const auto calls = static_cast<std::int64_t>(std::min(lost_calls_ / most_lost, longest));
  lost_calls_ = 0;
  return std::max(least_between_rounds, calls);
}

Trial::Verdict Trial::conclude(std::span<const std::int64_t> sums_ns) {
  Verdict verdict{.winner = favourite_, .other = rivals_.front()};
  double lost_calls = 0;
  if (std::ranges::all_of(sums_ns, [](std::int64_t sum) { return sum > 0; })) {
    std::vector<Comparison> all;
    for (std::size_t i = 0; i < rivals_.size(); ++i) all.push_back(compare(sums_ns, rivals_, i));
    verdict = verdict_of(all, favourite_);
    lost_calls = calls_lost(all, verdict);
    favourite_ = verdict.winner;
  }
  verdict.next_round = calls_to_next_round(lost_calls);
  call_ = -verdict.next_round;
  begin_round();
  return verdict;
}

std::string text_of(const Trial::Verdict& verdict, std::span<const std::string> names) {
  std::array<char, 64> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "%.2f times as fast as ", verdict.times_as_fast);
  std::array<char, 64> pairs{};
  std::snprintf(pairs.data(), pairs.size(), ", faster in %zu of %zu pairs", verdict.pairs_won,
                Trial::pairs);
  return names[verdict.winner] + (verdict.is_changed ? " from now on: " : " stays: ") +
         numbers.data() + names[verdict.other] + pairs.data();
}

}  // namespace anabranch
