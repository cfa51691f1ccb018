#include "schedule/conflicts.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace anabranch {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

// Calls visit(set of a, set of b) for those in one buffer of which at least one is written, until
// it returns true. Returns whether it did.
template <typename Visit>
bool any_conflict(const Schedule& schedule, const Operation& a, const Operation& b, Visit visit) {
  const auto sets_a = schedule.all_block_sets_of(a);
  const auto sets_b = schedule.all_block_sets_of(b);
  for (std::size_t i = 0; i < sets_a.size(); ++i) {
    const bool writes_a = a.writes() && i < a.block_set_count;
    for (std::size_t j = 0; j < sets_b.size(); ++j) {
      const bool writes_b = b.writes() && j < b.block_set_count;
      if (!writes_a && !writes_b) continue;
      if (sets_a[i].buffer == sets_b[j].buffer && visit(sets_a[i], sets_b[j])) return true;
    }
  }
  return false;
}

// The differences d for which d * step lies in the range.
Interval multiples(const Interval& range, std::int64_t step) {
  if (step == 1) return range;  // the usual case, without divisions
  return step > 0 ? Interval{ceil_div(range.low, step), floor_div(range.high, step)}
                  : Interval{ceil_div(range.high, step), floor_div(range.low, step)};
}

// The last instance of `earlier` that comes before `round`, or -1.
std::int64_t last_before(const Operation& earlier, std::int32_t round, bool same_round_counts) {
  const std::int64_t room = std::int64_t{round} - earlier.round - (same_round_counts ? 0 : 1);
  if (room < 0) return -1;
  if (earlier.repeat.round_step <= 0) return earlier.repeat.count - 1;
  return std::min<std::int64_t>(earlier.repeat.count - 1, room / earlier.repeat.round_step);
}

// The last instance up to `limit` of a repeated set that meets `other`, or -1.
std::int64_t last_meeting(const BlockSet& set, std::int64_t step, const Interval& other,
                          std::int64_t limit) {
  const Interval mine = hull_of(set, 0);
  if (step == 0) return mine.meets(other) ? limit : -1;
  const Interval met = multiples({other.low - mine.high, other.high - mine.low}, step);
  const std::int64_t last = std::min(met.high, limit);
  return last >= std::max<std::int64_t>(met.low, 0) ? last : -1;
}

// Whether some instance k of `a` precedes some instance t of `b` and their sets meet. Sets meet
// for a range of differences k - t, where both move by the same step; of those k the first is the
// earliest, so that only the ends of the range of t, and where k reaches 0, need to be tried.
bool precedes_and_meets(const Operation& a, const BlockSet& mine, const Operation& b,
                        const BlockSet& other, bool same_round_counts) {
  const std::int64_t last_a = a.repeat.count - 1;
  const std::int64_t last_b = b.repeat.count - 1;
  const std::int64_t step = last_a > 0 ? a.repeat.block_step : b.repeat.block_step;
  if (last_a > 0 && last_b > 0 && step != b.repeat.block_step) return true;  // it may
  const Interval left = hull_of(mine, 0);
  const Interval right = hull_of(other, 0);
  if (last_a == 0 && last_b == 0) return overlap(mine, 0, other, 0);
  if (step == 0) return left.meets(right);
  const Interval ahead = multiples({right.low - left.high, right.high - left.low}, step);
  const Interval later = {std::max<std::int64_t>(0, -ahead.high),
                          std::min<std::int64_t>(last_b, last_a - ahead.low)};
  if (ahead.empty() || later.empty()) return false;
  const auto precedes = [&](std::int64_t t) {
    const std::int64_t k = std::max<std::int64_t>(0, t + ahead.low);
    const std::int64_t round_a = a.round + k * a.repeat.round_step;
    const std::int64_t round_b = b.round + t * b.repeat.round_step;
    return round_a < round_b || (same_round_counts && round_a == round_b);
  };
  return precedes(later.low) || precedes(later.high) ||
         precedes(std::clamp(-ahead.low, later.low, later.high));
}

}  // namespace

bool overlap(const BlockSet& a, std::int64_t shift_a, const BlockSet& b, std::int64_t shift_b) {
  if (a.buffer != b.buffer) return false;
  const Interval left = hull_of(a, shift_a);
  const Interval right = hull_of(b, shift_b);
  if (!left.meets(right)) return false;
  const std::int64_t stride = left.low == left.high ? 1 : std::abs(std::int64_t{a.stride});
  const std::int64_t step = right.low == right.high ? 1 : std::abs(std::int64_t{b.stride});
  if (stride < step) return overlap(b, shift_b, a, shift_a);
  const std::int64_t divisor = std::gcd(stride, step);
  if ((right.low - left.low) % divisor != 0) return false;
  // The blocks of both, if their ends are forgotten, repeat with the least common multiple.
  std::int64_t shared = left.low;
  while ((shared - right.low) % step != 0) shared += stride;  // less than step / divisor times
  const std::int64_t period = stride / divisor * step;
  const std::int64_t low = std::max(left.low, right.low);
  if (shared < low) shared += ceil_div(low - shared, period) * period;
  return shared <= std::min(left.high, right.high);
}

bool may_wait_for(const Schedule& schedule, std::uint32_t a, std::uint32_t b) {
  const Operation& earlier = schedule.operations[a];
  const Operation& later = schedule.operations[b];
  return any_conflict(schedule, earlier, later, [&](const BlockSet& mine, const BlockSet& other) {
    return precedes_and_meets(earlier, mine, later, other, a < b);
  });
}

std::int32_t instances_needed(const Schedule& schedule, std::uint32_t earlier, std::uint32_t later,
                              std::int32_t iteration) {
  const Operation& a = schedule.operations[earlier];
  const Operation& b = schedule.operations[later];
  if (a.repeat.count == 1 && b.repeat.count == 1) return 1;
  const std::int64_t limit = last_before(a, b.round_of(iteration), earlier < later);
  if (limit < 0) return 0;
  const std::int64_t shift = std::int64_t{iteration} * b.repeat.block_step;
  std::int64_t last = -1;
  any_conflict(schedule, a, b, [&](const BlockSet& mine, const BlockSet& other) {
    last = std::max(last, last_meeting(mine, a.repeat.block_step, hull_of(other, shift), limit));
    return last == limit;
  });
  return static_cast<std::int32_t>(last + 1);
}

}  // namespace anabranch
