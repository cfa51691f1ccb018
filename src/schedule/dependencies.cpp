#include "schedule/dependencies.hpp"

#include <algorithm>
#include <array>

#include "schedule/conflicts.hpp"

namespace anabranch {
namespace {

using Index = std::uint32_t;
constexpr Index none = ~Index{0};

// What is enough to tell most pairs of operations apart.
struct Extent {
  Interval blocks;  // all, of all instances; buffers are kept apart by their high bits
  std::int32_t first_round;
  std::int32_t last_round;
  // Blocks of a repeat with this step all have this remainder. Step 1: anything else.
  std::int32_t step;
  std::int32_t remainder;
  bool writes;
  bool is_one_range;  // neither repeated nor of several sets nor strided

  Extent() {}  // NOLINT: left as it is, to be assigned
  Extent(const Schedule& schedule, const Operation& operation)
      : first_round(operation.round),
        last_round(operation.round_of(operation.repeat.count - 1)),
        step(1),
        remainder(0),
        writes(operation.writes()) {
    const auto block_sets = schedule.all_block_sets_of(operation);
    is_one_range = operation.repeat.count == 1 && are_one_range(block_sets);
    blocks = range_of(block_sets[0]);
    for (const BlockSet& set : block_sets.subspan(1)) {
      const Interval range = range_of(set);
      blocks = {std::min(blocks.low, range.low), std::max(blocks.high, range.high)};
    }
    if (operation.repeat.count == 1) return;
    const std::int64_t span =
        std::int64_t{operation.repeat.count - 1} * operation.repeat.block_step;
    (span > 0 ? blocks.high : blocks.low) += span;
    if (block_sets[0].count != 1 || operation.repeat.block_step <= 1) return;
    step = operation.repeat.block_step;
    remainder = block_sets[0].first % step;
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
  static Interval range_of(const BlockSet& set) {
    return hull_of(set, static_cast<std::int64_t>(set.buffer) << 40);
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
      for (const BlockSet& set : schedule.sources_of(operation)) read(set, index, found);
    }
    for (const BlockSet& set : schedule.block_sets_of(operation)) {
      if (operation.writes()) {
        write(set, index, found);
      } else {
        read(set, index, found);
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

  void read(const BlockSet& set, Index reader, std::vector<Index>& found) {
    each(set, [&](Cell& cell) {
      note(cell.writer, reader, found);
      readers_.push_back({reader, cell.readers});
      cell.readers = static_cast<Index>(readers_.size() - 1);
    });
  }

  void write(const BlockSet& set, Index writer, std::vector<Index>& found) {
    each(set, [&](Cell& cell) {
      if (cell.readers == none) note(cell.writer, writer, found);
      for (Index at = cell.readers; at != none; at = readers_[at].next) {
        note(readers_[at].reader, writer, found);
      }
      cell = {writer, none};
    });
  }

  template <typename Visit>
  void each(const BlockSet& set, Visit visit) {
    const std::int64_t base = base_[static_cast<std::size_t>(set.buffer)];
    for (std::int32_t i = 0; i < set.count; ++i) {
      visit(cells_[static_cast<std::size_t>(base + set.at(i))]);
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

// The table costs a step per block touched, comparing all pairs a step per pair of sets.
class Effort {
 public:
  void add(const Schedule& schedule, const Operation& operation) {
    for (const BlockSet& set : schedule.all_block_sets_of(operation)) {
      ++sets_;
      blocks_ += set.count;
      auto& held = held_[static_cast<std::size_t>(set.buffer)];
      held = std::max(held, hull_of(set, 0).high + 1);
    }
  }
  bool table_is_cheaper() const { return sets_ * sets_ / 4 > 16 + blocks_; }
  const std::array<std::int64_t, 3>& held() const { return held_; }

 private:
  std::int64_t sets_ = 0;
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
         block_sets.capacity() * sizeof(BlockSet) + dependencies.capacity() * sizeof(std::uint32_t);
}

}  // namespace anabranch
