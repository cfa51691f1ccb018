#include "schedule/dependencies.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace anabranch {
namespace {

using Index = std::uint32_t;
constexpr Index none = ~Index{0};

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

struct Range {
  std::int64_t low;
  std::int64_t high;

  bool empty() const { return low > high; }
  bool meets(const Range& other) const { return low <= other.high && other.low <= high; }
};

Range hull_of(const BlockSet& part, std::int64_t shift) {
  const std::int64_t last = part.first + std::int64_t{part.count - 1} * part.stride;
  return {std::min<std::int64_t>(part.first, last) + shift,
          std::max<std::int64_t>(part.first, last) + shift};
}

// All parts of an operation, the sources of a copy included.
std::span<const BlockSet> touched(const Schedule& schedule, const Operation& operation) {
  const std::size_t held = operation.part_count * (operation.kind == Kind::copy ? 2U : 1U);
  return {schedule.parts.data() + operation.first_part, held};
}

// Calls visit(part of a, part of b) for those in one buffer of which at least one is written, until
// it returns true. Returns whether it did.
template <typename Visit>
bool any_conflict(const Schedule& schedule, const Operation& a, const Operation& b, Visit visit) {
  const auto parts_a = touched(schedule, a);
  const auto parts_b = touched(schedule, b);
  for (std::size_t i = 0; i < parts_a.size(); ++i) {
    const bool writes_a = a.writes() && i < a.part_count;
    for (std::size_t j = 0; j < parts_b.size(); ++j) {
      const bool writes_b = b.writes() && j < b.part_count;
      if (!writes_a && !writes_b) continue;
      if (parts_a[i].buffer == parts_b[j].buffer && visit(parts_a[i], parts_b[j])) return true;
    }
  }
  return false;
}

// The differences d for which d * step lies in the range.
Range multiples(const Range& range, std::int64_t step) {
  if (step == 1) return range;  // the usual case, without divisions
  return step > 0 ? Range{ceil_div(range.low, step), floor_div(range.high, step)}
                  : Range{ceil_div(range.high, step), floor_div(range.low, step)};
}

// The last instance of `earlier` that comes before `round`, or -1.
std::int64_t last_before(const Operation& earlier, std::int32_t round, bool same_round_counts) {
  const std::int64_t room = std::int64_t{round} - earlier.round - (same_round_counts ? 0 : 1);
  if (room < 0) return -1;
  if (earlier.repeat.round_step <= 0) return earlier.repeat.count - 1;
  return std::min<std::int64_t>(earlier.repeat.count - 1, room / earlier.repeat.round_step);
}

// The last instance up to `limit` of a repeated part that meets `other`, or -1.
std::int64_t last_meeting(const BlockSet& part, std::int64_t step, const Range& other,
                          std::int64_t limit) {
  const Range mine = hull_of(part, 0);
  if (step == 0) return mine.meets(other) ? limit : -1;
  const Range met = multiples({other.low - mine.high, other.high - mine.low}, step);
  const std::int64_t last = std::min(met.high, limit);
  return last >= std::max<std::int64_t>(met.low, 0) ? last : -1;
}

// Whether some instance k of `a` precedes some instance t of `b` and their parts meet. Parts meet
// for a range of differences k - t, where both move by the same step; of those k the first is the
// earliest, so that only the ends of the range of t, and where k reaches 0, need to be tried.
bool precedes_and_meets(const Operation& a, const BlockSet& mine, const Operation& b,
                        const BlockSet& other, bool same_round_counts) {
  const std::int64_t last_a = a.repeat.count - 1;
  const std::int64_t last_b = b.repeat.count - 1;
  const std::int64_t step = last_a > 0 ? a.repeat.block_step : b.repeat.block_step;
  if (last_a > 0 && last_b > 0 && step != b.repeat.block_step) return true;  // it may
  const Range left = hull_of(mine, 0);
  const Range right = hull_of(other, 0);
  if (last_a == 0 && last_b == 0) return overlap(mine, 0, other, 0);
  if (step == 0) return left.meets(right);
  const Range ahead = multiples({right.low - left.high, right.high - left.low}, step);
  const Range later = {std::max<std::int64_t>(0, -ahead.high),
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

bool may_wait_for(const Schedule& schedule, Index a, Index b) {
  const Operation& earlier = schedule.operations[a];
  const Operation& later = schedule.operations[b];
  return any_conflict(schedule, earlier, later, [&](const BlockSet& mine, const BlockSet& other) {
    return precedes_and_meets(earlier, mine, later, other, a < b);
  });
}

// What is enough to tell most pairs of operations apart.
struct Extent {
  Range blocks;  // all, of all instances; buffers are kept apart by their high bits
  std::int32_t first_round;
  std::int32_t last_round;
  // Blocks of a repeat with this step all have this remainder. Step 1: anything else.
  std::int32_t step;
  std::int32_t remainder;
  bool writes;
  bool is_one_range;  // neither repeated nor in several parts nor strided

  Extent() {}  // NOLINT: left as it is, to be assigned
  Extent(const Schedule& schedule, const Operation& operation)
      : first_round(operation.round),
        last_round(operation.round_of(operation.repeat.count - 1)),
        step(1),
        remainder(0),
        writes(operation.writes()) {
    const auto parts = touched(schedule, operation);
    is_one_range = operation.repeat.count == 1 && parts.size() == 1 &&
                   (parts[0].count == 1 || parts[0].stride == 1);
    blocks = range_of(parts[0]);
    for (const BlockSet& part : parts.subspan(1)) {
      const Range range = range_of(part);
      blocks = {std::min(blocks.low, range.low), std::max(blocks.high, range.high)};
    }
    if (operation.repeat.count == 1) return;
    const std::int64_t span =
        std::int64_t{operation.repeat.count - 1} * operation.repeat.block_step;
    (span > 0 ? blocks.high : blocks.low) += span;
    if (parts[0].count != 1 || operation.repeat.block_step <= 1) return;
    step = operation.repeat.block_step;
    remainder = parts[0].first % step;
  }

  // Whether an instance of this one may come before one of `later` that it conflicts with.
  bool may_precede(const Extent& later, bool same_round_counts) const {
    // Most pairs fail somewhere, no telling where: no branches.
    const bool conflict = writes | later.writes;
    const bool meet = (blocks.low <= later.blocks.high) & (later.blocks.low <= blocks.high);
    const bool before = first_round < later.last_round + same_round_counts;
    const bool apart = (step == later.step) & (remainder != later.remainder);
    return conflict & meet & before & !apart;
  }

 private:
  static Range range_of(const BlockSet& part) {
    return hull_of(part, static_cast<std::int64_t>(part.buffer) << 40);
  }
};

// Last writer of each block and the readers since, for operations that are not repeated.
class BlockTable {
 public:
  explicit BlockTable(const std::array<std::int64_t, 3>& held) {
    for (std::size_t buffer = 1; buffer < 3; ++buffer) {
      base_[buffer] = base_[buffer - 1] + held[buffer - 1];
    }
    cells_.resize(static_cast<std::size_t>(base_[2] + held[2]));
  }

  // Appends those operations that the one at `index` must wait for, some of them repeatedly.
  void look_up(const Schedule& schedule, Index index, std::vector<Index>& found) {
    const Operation& operation = schedule.operations[index];
    begin_ = found.size();
    if (operation.kind == Kind::copy) {
      for (const BlockSet& part : schedule.sources_of(operation)) read(part, index, found);
    }
    for (const BlockSet& part : schedule.parts_of(operation)) {
      if (operation.writes()) {
        write(part, index, found);
      } else {
        read(part, index, found);
      }
    }
  }

 private:
  struct Cell {
    Index writer = none;
    Index readers = none;
  };
  struct Reader {
    Index reader;
    Index next;
  };

  void read(const BlockSet& part, Index reader, std::vector<Index>& found) {
    each(part, [&](Cell& cell) {
      note(cell.writer, reader, found);
      readers_.push_back({reader, cell.readers});
      cell.readers = static_cast<Index>(readers_.size() - 1);
    });
  }

  void write(const BlockSet& part, Index writer, std::vector<Index>& found) {
    each(part, [&](Cell& cell) {
      if (cell.readers == none) note(cell.writer, writer, found);
      for (Index at = cell.readers; at != none; at = readers_[at].next) {
        note(readers_[at].reader, writer, found);
      }
      cell = {writer, none};
    });
  }

  template <typename Visit>
  void each(const BlockSet& part, Visit visit) {
    const std::int64_t base = base_[static_cast<std::size_t>(part.buffer)];
    for (std::int32_t i = 0; i < part.count; ++i) {
      visit(cells_[static_cast<std::size_t>(base + part.at(i))]);
    }
  }

  void note(Index earlier, Index index, std::vector<Index>& found) const {
    if (earlier == none || earlier == index) return;
    if (found.size() == begin_ || found.back() != earlier) found.push_back(earlier);
  }

  std::size_t begin_ = 0;
  std::array<std::int64_t, 3> base_{};
  std::vector<Cell> cells_;
  std::vector<Reader> readers_;
};

// The table costs a step per block touched, comparing all pairs a step per pair of parts.
class Effort {
 public:
  void add(const Schedule& schedule, const Operation& operation) {
    for (const BlockSet& part : touched(schedule, operation)) {
      ++parts_;
      blocks_ += part.count;
      auto& held = held_[static_cast<std::size_t>(part.buffer)];
      held = std::max(held, hull_of(part, 0).high + 1);
    }
  }
  bool table_is_cheaper() const { return parts_ * parts_ / 4 > 16 + blocks_; }
  const std::array<std::int64_t, 3>& held() const { return held_; }

 private:
  std::int64_t parts_ = 0;
  std::int64_t blocks_ = 0;
  std::array<std::int64_t, 3> held_{};
};

// The extents of all operations; short schedules do without memory of their own.
class Extents {
 public:
  explicit Extents(const Schedule& schedule) {
    Extent* extent = few_.data();
    if (schedule.operations.size() > few_.size()) {
      many_.resize(schedule.operations.size());
      extent = many_.data();
    }
    extents_ = extent;
    for (const Operation& operation : schedule.operations) *extent++ = Extent(schedule, operation);
  }
  Extents(const Extents&) = delete;
  Extents& operator=(const Extents&) = delete;
  const Extent& operator[](std::size_t index) const { return extents_[index]; }

 private:
  std::array<Extent, 48> few_;
  std::vector<Extent> many_;
  const Extent* extents_;
};

}  // namespace

bool overlap(const BlockSet& a, std::int64_t shift_a, const BlockSet& b, std::int64_t shift_b) {
  if (a.buffer != b.buffer) return false;
  const Range left = hull_of(a, shift_a);
  const Range right = hull_of(b, shift_b);
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

void derive_dependencies(Schedule& schedule) {
  auto& operations = schedule.operations;
  auto& dependencies = schedule.dependencies;
  const Extents extents(schedule);
  Effort effort;
  for (const Operation& operation : operations) {
    if (operation.repeat.count == 1) effort.add(schedule, operation);
  }
  const bool use_table = effort.table_is_cheaper();
  BlockTable table(use_table ? effort.held() : std::array<std::int64_t, 3>{});
  std::vector<Index> repeated;
  for (Index index = 0; use_table && index < operations.size(); ++index) {
    if (operations[index].repeat.count > 1) repeated.push_back(index);
  }
  dependencies.clear();
  const auto wait_for = [&](Index other) {
    if (dependencies.empty()) dependencies.reserve(operations.size());
    dependencies.push_back(other);
  };
  for (Index index = 0; index < operations.size(); ++index) {
    const auto begin = static_cast<std::ptrdiff_t>(dependencies.size());
    const bool plain = operations[index].repeat.count == 1;
    const auto compare = [&](Index other) {
      const Extent& mine = extents[index];
      const Extent& earlier = extents[other];
      if (!earlier.may_precede(mine, other < index)) return;
      if ((earlier.is_one_range && mine.is_one_range) || may_wait_for(schedule, other, index)) {
        wait_for(other);
      }
    };
    if (use_table && plain) {
      table.look_up(schedule, index, dependencies);
      for (const Index other : repeated) {
        if (other < index) compare(other);
      }
      std::sort(dependencies.begin() + begin, dependencies.end());
      dependencies.erase(std::unique(dependencies.begin() + begin, dependencies.end()),
                         dependencies.end());
    } else {
      // Of those listed later only instances of repeats can come before others.
      const auto count = static_cast<Index>(operations.size());
      for (Index other = 0; other < (plain ? index : count); ++other) compare(other);
    }
    operations[index].first_dependency = static_cast<Index>(begin);
    operations[index].dependency_count =
        static_cast<Index>(dependencies.size()) - operations[index].first_dependency;
  }
}

std::size_t Schedule::size_bytes() const {
  return sizeof(Schedule) + operations.capacity() * sizeof(Operation) +
         parts.capacity() * sizeof(BlockSet) + dependencies.capacity() * sizeof(std::uint32_t);
}

}  // namespace anabranch
