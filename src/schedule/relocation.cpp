#include "schedule/relocation.hpp"

#include <algorithm>
#include <vector>

#include "schedule/builder.hpp"

namespace anabranch {
namespace {

struct Located {
  Buffer buffer;
  std::int32_t block;

  friend bool operator==(const Located&, const Located&) = default;
};

// Sets of the blocks that come one after the other, each as far from the one before it.
class Runs {
 public:
  bool can_take(Located next) const {
    if (sets_.empty() || sets_.back().buffer != next.buffer) return false;
    const BlockSet& last = sets_.back();
    return last.count == 1 ? next.block > last.first : next.block == last.at(last.count);
  }
  void take(Located next) {
    BlockSet& last = sets_.back();
    if (last.count == 1) last.stride = next.block - last.first;
    ++last.count;
  }
  void begin(Located next) { sets_.push_back({next.block, 1, 1, next.buffer}); }
  void add(Located next) {
    if (can_take(next)) {
      take(next);
    } else {
      begin(next);
    }
  }
  const std::vector<BlockSet>& sets() const { return sets_; }

 private:
  std::vector<BlockSet> sets_;
};

// The blocks of an instance where they are now; block -1 where they are left out.
std::vector<Located> locate(std::span<const BlockSet> block_sets, std::int32_t shift,
                            const Relocation& relocation) {
  std::vector<Located> located;
  for (const BlockSet& set : block_sets) {
    const Place& place = relocation.of(set.buffer);
    for (std::int32_t i = 0; i < set.count; ++i) {
      located.push_back({place.buffer, place.at(set.at(i) + shift)});
    }
  }
  return located;
}

// Destinations and sources are cut at the same places.
std::vector<BlockSet> relocated_copy(const Schedule& schedule, const Operation& copy,
                                     const Relocation& relocation) {
  const auto to = locate(schedule.block_sets_of(copy), 0, relocation);
  const auto from = locate(schedule.sources_of(copy), 0, relocation);
  Runs destinations;
  Runs sources;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i].block < 0 || from[i].block < 0 || to[i] == from[i]) continue;
    if (destinations.can_take(to[i]) && sources.can_take(from[i])) {
      destinations.take(to[i]);
      sources.take(from[i]);
    } else {
      destinations.begin(to[i]);
      sources.begin(from[i]);
    }
  }
  auto sets = destinations.sets();
  sets.insert(sets.end(), sources.sets().begin(), sources.sets().end());
  return sets;
}

// The set with all its instances in its new place; nothing where it does not stay as it is.
bool shift(BlockSet& set, const Repeat& repeat, const Relocation& relocation) {
  const Place& place = relocation.of(set.buffer);
  std::int32_t low = std::min(set.first, set.at(set.count - 1));
  std::int32_t high = std::max(set.first, set.at(set.count - 1));
  const std::int32_t moved = (repeat.count - 1) * repeat.block_step;
  (moved < 0 ? low : high) += moved;
  if (!place.is_shift(low, high)) return false;
  set.first = place.at(set.first);
  set.stride *= place.step;
  set.buffer = place.buffer;
  return true;
}

}  // namespace

std::int32_t Place::at(std::int32_t block) const {
  const std::int32_t found =
      table.empty() ? first + step * block : table[static_cast<std::size_t>(block)];
  return found < limit ? found : -1;
}

bool Place::is_shift(std::int32_t low, std::int32_t high) const {
  if (table.empty()) return at(low) >= 0 && at(high) >= 0;
  const std::int32_t begin = at(low);
  for (std::int32_t block = low; block <= high; ++block) {
    if (at(block) < 0 || at(block) - block != begin - low) return false;
  }
  return true;
}

void Builder::grow_scratch(std::span<const BlockSet> block_sets, const Repeat& repeat) {
  std::int32_t& held = schedule_.block_count[static_cast<int>(Buffer::scratch)];
  const std::int32_t moved = std::max((repeat.count - 1) * repeat.block_step, 0);
  for (const BlockSet& set : block_sets) {
    if (set.buffer != Buffer::scratch) continue;
    held = std::max(held, std::max(set.first, set.at(set.count - 1)) + moved + 1);
  }
}

void Builder::append(const Schedule& other, std::int32_t first_round,
                     std::span<const std::int32_t> members, const Relocation& relocation) {
  std::vector<BlockSet> block_sets;
  for (const Operation& operation : other.operations) {
    const std::int32_t peer = operation.peer < 0 || members.empty()
                                  ? operation.peer
                                  : members[static_cast<std::size_t>(operation.peer)];
    const auto emit = [&](std::int32_t round, const Repeat& repeat) {
      add(operation.kind, first_round + round, peer, block_sets, operation.order, repeat);
      if (was_left_out_) return;
      Operation& added = newest();
      added.carries_sizes = operation.carries_sizes;
      added.combines = operation.combines;
      added.is_exclusive = operation.is_exclusive;
      added.max_ahead = operation.max_ahead;
      grow_scratch(block_sets, repeat);
    };
    if (operation.kind == Kind::copy) {
      block_sets = relocated_copy(other, operation, relocation);
      emit(operation.round, {});
      continue;
    }
    const auto before = other.block_sets_of(operation);
    block_sets.assign(before.begin(), before.end());
    const auto stays = [&](BlockSet& set) { return shift(set, operation.repeat, relocation); };
    if (std::ranges::all_of(block_sets, stays)) {
      Repeat repeat = operation.repeat;
      if (!before.empty()) repeat.block_step *= relocation.of(before.front().buffer).step;
      emit(operation.round, repeat);
      continue;
    }
    for (std::int32_t i = 0; i < operation.repeat.count; ++i) {
      Runs runs;
      for (const Located at : locate(before, i * operation.repeat.block_step, relocation)) {
        if (at.block >= 0) runs.add(at);
      }
      block_sets = runs.sets();
      emit(operation.round_of(i), {});
    }
  }
}

}  // namespace anabranch
