#include "schedule/dependencies.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "schedule/conflicts.hpp"

namespace anabranch {
namespace {

using Index = std::uint32_t;
constexpr Index none = ~Index{0};

// Of all instances; buffers are kept apart by their high bits.
Interval touched_by(const BlockSet& set, const Repeat& repeat) {
  Interval blocks = hull_of(set, static_cast<std::int64_t>(set.buffer) << 40);
  const std::int64_t span = std::int64_t{repeat.count - 1} * repeat.block_step;
  (span > 0 ? blocks.high : blocks.low) += span;
  return blocks;
}

// What is enough to tell most pairs of operations apart.
struct Extent {
  Interval blocks;
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
    blocks = touched_by(block_sets[0], operation.repeat);
    for (const BlockSet& set : block_sets.subspan(1)) {
      const Interval range = touched_by(set, operation.repeat);
      blocks = {std::min(blocks.low, range.low), std::max(blocks.high, range.high)};
    }
    if (operation.repeat.count == 1) return;
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
  bool are_many() const { return !many_.empty(); }

 private:
  std::array<Extent, 48> few_;
  std::vector<Extent> many_;
  const Extent* extents_;
};

// Operations by the blocks that their sets touch, so that one is compared with those alone that may
// touch the same.
class ByBlocks {
 public:
  void add(const Schedule& schedule, Index index) {
    const Operation& operation = schedule.operations[index];
    for (const BlockSet& set : schedule.all_block_sets_of(operation)) {
      entries_.push_back({touched_by(set, operation.repeat), index});
    }
  }
  void sort() {
    std::ranges::sort(entries_, {}, [](const Entry& entry) { return entry.blocks.low; });
    last_block_.resize(entries_.size());
    find_last_block(0, entries_.size());
  }

  // Calls visit(index) for each of them, for some repeatedly.
  template <typename Visit>
  void each_beside(const Schedule& schedule, const Operation& operation, Visit visit) const {
    for (const BlockSet& set : schedule.all_block_sets_of(operation)) {
      look_up(0, entries_.size(), touched_by(set, operation.repeat), visit);
    }
  }

 private:
  struct Entry {
    Interval blocks;
    Index operation;
  };

  // A tree in the sorted entries: the root of each stretch is its middle, which knows the last
  // block of all of them.
  std::int64_t find_last_block(std::size_t begin, std::size_t end) {
    if (begin == end) return std::numeric_limits<std::int64_t>::min();
    const std::size_t middle = begin + (end - begin) / 2;
    last_block_[middle] = std::max({entries_[middle].blocks.high, find_last_block(begin, middle),
                                    find_last_block(middle + 1, end)});
    return last_block_[middle];
  }

  template <typename Visit>
  void look_up(std::size_t begin, std::size_t end, const Interval& blocks, Visit& visit) const {
    if (begin == end) return;
    const std::size_t middle = begin + (end - begin) / 2;
    if (last_block_[middle] < blocks.low) return;
    look_up(begin, middle, blocks, visit);
    if (blocks.high < entries_[middle].blocks.low) return;
    if (entries_[middle].blocks.meets(blocks)) visit(entries_[middle].operation);
    look_up(middle + 1, end, blocks, visit);
  }

  std::vector<Entry> entries_;
  std::vector<std::int64_t> last_block_;
};

// Finds with whom each operation is to be compared, and compares.
class Deriving {
 public:
  explicit Deriving(Schedule& schedule)
      : schedule_(schedule),
        extents_(schedule),
        effort_(effort_of(schedule)),
        uses_table_(effort_.table_is_cheaper()),
        table_(uses_table_ ? effort_.held() : std::array<std::int64_t, 3>{}) {
    for (Index index = 0; index < count(); ++index) {
      if (operation(index).repeat.count > 1) repeated_.push_back(index);
    }
    if (!extents_.are_many()) return;
    for (const Index index : repeated_) repeated_by_blocks_.add(schedule, index);
    repeated_by_blocks_.sort();
    if (uses_table_ && repeated_.empty()) return;
    for (Index index = 0; index < count(); ++index) all_by_blocks_.add(schedule, index);
    all_by_blocks_.sort();
  }

  void derive() {
    auto& dependencies = schedule_.dependencies;
    dependencies.clear();
    for (Index index = 0; index < count(); ++index) {
      const auto begin = static_cast<std::ptrdiff_t>(dependencies.size());
      derive_of(index);
      std::sort(dependencies.begin() + begin, dependencies.end());
      dependencies.erase(std::unique(dependencies.begin() + begin, dependencies.end()),
                         dependencies.end());
      Operation& own = schedule_.operations[index];
      own.first_dependency = static_cast<Index>(begin);
      own.dependency_count = static_cast<Index>(dependencies.size()) - own.first_dependency;
    }
  }

 private:
  static Effort effort_of(const Schedule& schedule) {
    Effort effort;
    for (const Operation& operation : schedule.operations) {
      if (operation.repeat.count == 1) effort.add(schedule, operation);
    }
    return effort;
  }

  Index count() const { return static_cast<Index>(schedule_.operations.size()); }
  const Operation& operation(Index index) const { return schedule_.operations[index]; }

  void derive_of(Index index) {
    const bool is_plain = operation(index).repeat.count == 1;
    // Of those listed later only instances of repeats can come before others.
    const Index end = is_plain ? index : count();
    const auto compare = [&](Index other) {
      if (other < end && may_wait(index, other)) wait_for(other);
    };
    const bool looks_up = uses_table_ && is_plain;
    if (looks_up) table_.look_up(schedule_, index, schedule_.dependencies);
    if (extents_.are_many()) {
      const ByBlocks& others = looks_up ? repeated_by_blocks_ : all_by_blocks_;
      others.each_beside(schedule_, operation(index), compare);
    } else if (looks_up) {
      std::ranges::for_each(repeated_, compare);
    } else {
      for (Index other = 0; other < end; ++other) compare(other);
    }
  }

  bool may_wait(Index index, Index other) const {
    const Extent& mine = extents_[index];
    const Extent& earlier = extents_[other];
    if (!earlier.may_precede(mine, other < index)) return false;
    return (earlier.is_one_range && mine.is_one_range) || may_wait_for(schedule_, other, index);
  }

  void wait_for(Index other) {
    if (schedule_.dependencies.empty()) schedule_.dependencies.reserve(count());
    schedule_.dependencies.push_back(other);
  }

  Schedule& schedule_;
  const Extents extents_;
  const Effort effort_;
  const bool uses_table_;
  BlockTable table_;  // of the operations that are not repeated, if it is cheaper
  std::vector<Index> repeated_;
  // Of many operations.
  ByBlocks all_by_blocks_;
  ByBlocks repeated_by_blocks_;
};

}  // namespace

void derive_dependencies(Schedule& schedule) { Deriving(schedule).derive(); }

std::size_t Schedule::size_bytes() const {
  return sizeof(Schedule) + operations.capacity() * sizeof(Operation) +
         block_sets.capacity() * sizeof(BlockSet) + dependencies.capacity() * sizeof(std::uint32_t);
}

}  // namespace anabranch
