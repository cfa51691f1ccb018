// When two operations conflict: they touch blocks in common, and at least one of the two writes.
// Instances of repeated operations are told apart by arithmetic on their steps, never one by one;
// `instances_needed` (schedule.hpp) is answered here too.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/schedule.hpp"

namespace anabranch {

// The whole numbers low .. high; none where low > high.
struct Interval {
  std::int64_t low;
  std::int64_t high;

  bool empty() const { return low > high; }
  bool meets(const Interval& other) const { return low <= other.high && other.low <= high; }
};

// From the first to the last block of a set that is moved on by so many blocks.
inline Interval hull_of(const BlockSet& set, std::int64_t shift) {
  const std::int64_t last = set.first + std::int64_t{set.count - 1} * set.stride;
  return {std::min<std::int64_t>(set.first, last) + shift,
          std::max<std::int64_t>(set.first, last) + shift};
}

// Whether two sets, moved on by so many blocks, have a block in common.
bool overlap(const BlockSet& a, std::int64_t shift_a, const BlockSet& b, std::int64_t shift_b);

// Whether an instance of `earlier` may come before one of `later` that it conflicts with. Never
// false where one does.
bool may_wait_for(const Schedule& schedule, std::uint32_t earlier, std::uint32_t later);

}  // namespace anabranch
