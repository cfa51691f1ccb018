#include "select/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "collectives/buffer_use.hpp"

namespace anabranch {

// A rival's calls beside the favourite's.
struct Trial::Comparison {
  std::size_t rival = 0;
  double speed = 1;  // as a multiple of the favourite's, in the median pair
  std::size_t pairs_won = 0;
  std::size_t pairs = 0;

  bool is_clearly_faster() const { return has_most(pairs_won) && speed >= clearly_slower; }
  bool is_clearly_slower() const {
    return has_most(pairs - pairs_won) && speed <= 1 / clearly_slower;
  }

 private:
  bool has_most(std::size_t won) const {
    const auto all = static_cast<double>(pairs);
    return pairs >= least_pairs &&
           2 * static_cast<double>(won) - all >= least_deviations * std::sqrt(all);
  }
};

// How many of a round a contender that is not the favourite has.
double Trial::turns_of(std::size_t contender) const {
  return static_cast<double>(turns_of_a_rival) +
         static_cast<double>(std::ranges::count(settling_, contender));
}

// The turn that a rival has for the first, second or third time (0 to 2).
std::size_t Trial::turn_of(std::size_t rival_place, std::size_t time) const {
  return 2 * (time * rivals_.size() + rival_place) + (time == 0 ? 1 : 2);
}

void Trial::add_pairs(std::span<const std::int64_t> sums_ns) {
  for (std::size_t place = 0; place < rivals_.size(); ++place) {
    std::vector<double>& speeds = speeds_[rivals_[place]];
    for (std::size_t time = 0; time < turns_of_a_rival; ++time) {
      const std::size_t turn = turn_of(place, time);
      for (const std::size_t beside : {turn - 1, turn + 1}) {
        if (is_left_out_[turn] || is_left_out_[beside]) continue;
        speeds.push_back(static_cast<double>(sums_ns[beside]) / static_cast<double>(sums_ns[turn]));
      }
    }
  }
}

// In calls of who is best: by how much longer one of the rival took, where none is compared. best:
// how many times as fast as the favourite that one is.
double Trial::lost_on(std::size_t rival_place, std::span<const std::int64_t> sums_ns,
                      double best) const {
  double own = 0;
  double beside = 0;
  for (std::size_t time = 0; time < turns_of_a_rival; ++time) {
    const std::size_t turn = turn_of(rival_place, time);
    own += 2 * static_cast<double>(sums_ns[turn]);
    beside += static_cast<double>(sums_ns[turn - 1]) + static_cast<double>(sums_ns[turn + 1]);
  }
  return std::max(best * own / beside - 1, 0.0);
}

Trial::Comparison Trial::compared_with(std::size_t rival) const {
  std::vector<double> speeds = speeds_[rival];
  if (speeds.empty()) return {.rival = rival};
  std::ranges::sort(speeds);
  const auto won = std::ranges::count_if(speeds, [](double speed) { return speed > 1; });
  const double median = std::sqrt(speeds[(speeds.size() - 1) / 2] * speeds[speeds.size() / 2]);
  return {rival, median, static_cast<std::size_t>(won), speeds.size()};
}

bool Trial::is_undecided(std::size_t contender) const {
  const std::size_t pairs_so_far = speeds_[contender].size();
  return contender != favourite_ && pairs_so_far > 0 && pairs_so_far < most_pairs &&
         !compared_with(contender).is_clearly_slower();
}

// The fastest of those that are clearly faster than the favourite; else the favourite stays, and
// is compared with the fastest of all.
Trial::Verdict Trial::verdict_of(std::span<const Comparison> all) const {
  const auto is_slower = [](const Comparison& one, const Comparison& other) {
    return one.speed < other.speed;
  };
  std::vector<Comparison> faster;
  std::ranges::copy_if(all, std::back_inserter(faster), &Comparison::is_clearly_faster);
  if (!faster.empty()) {
    const Comparison& best = *std::ranges::max_element(faster, is_slower);
    return {best.rival, favourite_, true, best.speed, best.pairs_won, best.pairs};
  }
  const Comparison& nearest = *std::ranges::max_element(all, is_slower);
  const std::size_t pairs_lost = nearest.pairs - nearest.pairs_won;
  return {favourite_, nearest.rival, false, 1 / nearest.speed, pairs_lost, nearest.pairs};
}

// What was found beside the former favourite tells how others compare with this one.
void Trial::make_favourite(std::size_t winner) {
  const std::vector<double> own = std::exchange(speeds_[winner], {});
  for (std::size_t contender = 0; contender < contenders_; ++contender) {
    std::vector<double>& speeds = speeds_[contender];
    if (contender == favourite_) speeds.assign(own.size(), 1);
    if (speeds.size() > own.size()) speeds.erase(speeds.begin(), speeds.end() - std::ssize(own));
    const std::size_t first = own.size() - speeds.size();
    for (std::size_t i = 0; i < speeds.size(); ++i) speeds[i] /= own[first + i];
  }
  favourite_ = winner;
}

void Trial::begin_round(bool at_once) {
  rivals_.clear();
  settling_.clear();
  const bool all_anew = !at_once && compared_ == contenders_;
  if (all_anew) speeds_.fill({});
  const std::size_t last = compared_ == 1 ? 1 : contenders_ - 1;
  for (std::size_t contender = 0; contender <= last; ++contender) {
    const bool is_unused = compared_ == 1 || contender >= compared_;
    if (is_unused && calls_a_turn_ > 1) settling_.push_back(contender);
    const bool is_new = all_anew || contender >= compared_;
    if (contender == favourite_) continue;
    if (is_new || (at_once && is_undecided(contender))) rivals_.push_back(contender);
  }
  compared_ = last + 1;
  times_ns_ = {};
  is_left_out_ = {};
}

void Trial::begin_anew() {
  favourite_ = 0;
  compared_ = 1;
  call_ = 0;
  lost_calls_ = 0;
  speeds_.fill({});
  begin_round(true);
}

std::size_t Trial::serving() const {
  if (!is_in_turn()) return favourite_;
  if (turn() < settling_.size()) return settling_[turn()];
  const std::size_t of_round = turn() - settling_.size();
  const bool is_after_first_turns = of_round > 2 * rivals_.size();
  const std::size_t place = of_round - (is_after_first_turns ? 1 : 0);
  return place % 2 == 0 ? favourite_ : rivals_[place / 2 % rivals_.size()];
}

void Trial::end_call(double took_s, bool is_comparable) {
  if (is_timed()) {
    const std::size_t of_round = turn() - settling_.size();
    times_ns_[of_round] += std::llround(took_s * 1e9);
    is_left_out_[of_round] = is_left_out_[of_round] || !is_comparable;
  }
  ++call_;
}

// After how many calls slower ones may serve again: at once while some are to be compared, or once
// more, and little was lost.
std::int64_t Trial::calls_to_next_round(double lost_calls, bool is_void) {
  lost_calls_ += lost_calls;
  bool some_are_left = compared_ < contenders_;
  for (std::size_t contender = 0; contender < contenders_ && !is_void; ++contender) {
    some_are_left = some_are_left || is_undecided(contender);
  }
  const auto lost_at_once = most_lost * static_cast<double>(least_between_rounds * calls_a_turn_);
  if (some_are_left && lost_calls_ <= lost_at_once) return 0;
  constexpr double longest = 1e9;
  const auto calls = static_cast<std::int64_t>(std::min(lost_calls_ / most_lost, longest));
  lost_calls_ = 0;
  return std::max(least_between_rounds, calls);
}

Trial::Verdict Trial::conclude(std::span<const std::int64_t> sums_ns) {
  Verdict verdict{.winner = favourite_, .other = rivals_.front()};
  double lost_calls = 0;
  const bool is_void = std::ranges::any_of(sums_ns, [](std::int64_t sum) { return sum <= 0; });
  if (!is_void) {
    add_pairs(sums_ns);
    std::vector<Comparison> all;
    for (const std::size_t rival : rivals_) all.push_back(compared_with(rival));
    verdict = verdict_of(all);
    // In calls of the winner: by how much longer those of the others took.
    const double best = verdict.is_changed ? verdict.times_as_fast : 1;
    lost_calls = turns_of(favourite_) * (best - 1);
    for (std::size_t place = 0; place < rivals_.size(); ++place) {
      lost_calls += turns_of(rivals_[place]) * (all[place].pairs > 0
                                                    ? std::max(best / all[place].speed - 1, 0.0)
                                                    : lost_on(place, sums_ns, best));
    }
    if (verdict.is_changed) make_favourite(verdict.winner);
  }
  const auto calls = static_cast<double>(calls_a_turn_);
  verdict.next_round = calls_to_next_round(calls * lost_calls, is_void);
  // Rounds that follow at once begin in odd and in even calls, for the same reason as within one.
  call_ = -std::max(verdict.next_round, std::int64_t{1});
  begin_round(verdict.next_round == 0);
  return verdict;
}

std::int64_t calls_a_turn(double call_s, double latency_s) {
  // What a call leaves to the next one, some latencies, is to be little beside a turn.
  constexpr double latencies_of_a_turn = 64;
  if (call_s <= 0 || latency_s <= 0) return 1;
  const double calls = std::ceil(latencies_of_a_turn * latency_s / call_s);
  return static_cast<std::int64_t>(
      std::clamp(calls, 1.0, static_cast<double>(Trial::most_calls_a_turn)));
}

double weight_in_sums(Collective collective, bool is_root, std::int32_t ranks) {
  const BufferUse& of_others = uses_of(collective, false).of(Buffer::output);
  const bool is_for_root = of_others.parts == PartCount::none;
  return is_for_root && is_root ? std::max(ranks - 1, 1) : 1;
}

std::string text_of(const Trial::Verdict& verdict, std::span<const std::string> names) {
  if (verdict.pairs == 0) {
    return names[verdict.winner] + " stays: no call of it could be compared with one of " +
           names[verdict.other];
  }
  std::array<char, 64> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "%.2f times as fast as ", verdict.times_as_fast);
  std::array<char, 64> pairs{};
  std::snprintf(pairs.data(), pairs.size(), ", faster in %zu of %zu pairs", verdict.pairs_won,
                verdict.pairs);
  return names[verdict.winner] + (verdict.is_changed ? " from now on: " : " stays: ") +
         numbers.data() + names[verdict.other] + pairs.data();
}

}  // namespace anabranch
