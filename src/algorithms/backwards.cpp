#include "algorithms/backwards.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

#include "schedule/builder.hpp"

namespace anabranch {
namespace {

// Calls visit(operation, round, block_sets, repeat) for all but copies, last instances first.
template <typename Visit>
void each_backwards(const Schedule& schedule, Visit visit) {
  std::vector<BlockSet> block_sets;
  for (const Operation& operation : std::views::reverse(schedule.operations)) {
    if (operation.kind == Kind::copy) continue;
    const std::int32_t last = operation.repeat.count - 1;
    const Repeat repeat{.count = operation.repeat.count,
                        .block_step = -operation.repeat.block_step,
                        .round_step = operation.repeat.round_step};
    const auto forwards = schedule.block_sets_of(operation);
    block_sets.assign(forwards.begin(), forwards.end());
    for (BlockSet& set : block_sets) set.first += last * operation.repeat.block_step;
    visit(operation, schedule.rounds - 1 - operation.round_of(last), block_sets, repeat);
  }
}

}  // namespace

Schedule backwards(const Schedule& broadcast) {
  const std::int32_t block_count = broadcast.block_count[static_cast<int>(Buffer::output)];
  const bool is_root = broadcast.rank == 0;
  const bool combines = std::ranges::any_of(
      broadcast.operations, [](const Operation& one) { return one.kind == Kind::send; });
  const Buffer held = is_root ? Buffer::output : combines ? Buffer::scratch : Buffer::input;
  Builder builder(broadcast.ranks, broadcast.rank, std::max(broadcast.rounds, 1),
                  is_root ? block_count : 0);
  builder.input(block_count);
  builder.reserve(broadcast.operations.size() + 1);
  if (held == Buffer::scratch) builder.scratch(block_count);
  if (held != Buffer::input) {
    builder.copy(0, blocks(0, block_count, held), blocks(0, block_count, Buffer::input));
  }
  each_backwards(broadcast, [&](const Operation& operation, std::int32_t round,
                                std::span<BlockSet> block_sets, const Repeat& repeat) {
    for (BlockSet& set : block_sets) set.buffer = held;
    if (operation.kind == Kind::receive) {
      builder.send(round, operation.peer, block_sets, repeat);
    } else {
      builder.reduce(round, operation.peer, block_sets, OperandOrder::mine_first, repeat);
    }
  });
  return std::move(builder).finish();
}

Schedule retraced(const Schedule& schedule) {
  Builder builder(schedule.ranks, schedule.rank, schedule.rounds, 0);
  builder.reserve(schedule.operations.size());
  each_backwards(schedule, [&](const Operation& operation, std::int32_t round,
                               std::span<const BlockSet> block_sets, const Repeat& repeat) {
    if (operation.receives()) {
      builder.send(round, operation.peer, block_sets, repeat);
    } else {
      builder.receive(round, operation.peer, block_sets, repeat);
    }
  });
  return std::move(builder).finish();
}

}  // namespace anabranch
