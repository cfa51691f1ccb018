#include "verify/mutation.hpp"

#include <algorithm>

#include "schedule/dependencies.hpp"

namespace anabranch::verify {
namespace {

using What = Mutation::Kind;

void list_for(const Schedule& schedule, std::uint32_t index, std::vector<Mutation>& found) {
  const Operation& operation = schedule.operations[index];
  const auto add = [&](What kind, std::int32_t amount = 0, std::int32_t set = 0) {
    found.push_back({kind, schedule.rank, index, amount, set});
  };
  add(What::drop);
  add(What::duplicate);
  const auto block_sets = static_cast<std::int32_t>(schedule.all_block_sets_of(operation).size());
  for (std::int32_t set = 0; set < block_sets; ++set) {
    for (const std::int32_t amount : {-1, 1}) {
      add(What::change_block, amount, set);
      add(What::resize, amount, set);
    }
  }
  add(What::move_round, -1);
  add(What::move_round, 1);
  for (std::uint32_t other = index + 1; other < schedule.operations.size(); ++other) {
    const bool same_round = schedule.operations[other].round == operation.round;
    if (!same_round) add(What::swap_rounds, static_cast<std::int32_t>(other));
    if (same_round && other == index + 1) add(What::swap_places);
  }
  for (std::uint32_t i = 0; i < operation.dependency_count; ++i) {
    add(What::remove_dependency, static_cast<std::int32_t>(i));
  }
  if (operation.kind == Kind::copy) return;
  for (std::int32_t peer = 0; peer < schedule.ranks; ++peer) {
    if (peer != operation.peer) add(What::retarget, peer);
  }
  if (operation.receives()) add(What::change_kind);
  if (operation.kind == Kind::reduce) add(What::change_order);
  add(What::change_sizes);
  add(What::change_repeat, 1);
  if (operation.repeat.count > 1) add(What::change_repeat, -1);
}

bool in_range(const Schedule& schedule) {
  for (const Operation& operation : schedule.operations) {
    const std::int32_t last_shift = (operation.repeat.count - 1) * operation.repeat.block_step;
    for (const BlockSet& set : schedule.all_block_sets_of(operation)) {
      const std::int32_t held = schedule.block_count[static_cast<std::size_t>(set.buffer)];
      if (set.count < 1) return false;
      for (const std::int32_t shift : {0, last_shift}) {
        for (const std::int32_t block : {set.at(0) + shift, set.at(set.count - 1) + shift}) {
          if (block < 0 || block >= held) return false;
        }
      }
    }
  }
  return true;
}

void apply(Schedule& schedule, const Mutation& mutation) {
  auto& operations = schedule.operations;
  const auto place = operations.begin() + static_cast<std::ptrdiff_t>(mutation.operation);
  Operation& operation = *place;
  const auto block_set = static_cast<std::uint32_t>(mutation.block_set);
  BlockSet& set = schedule.block_sets[operation.first_block_set + block_set];
  switch (mutation.kind) {
    case What::drop:
      operations.erase(place);
      break;
    case What::duplicate: {
      const Operation twin = operation;
      operations.insert(place, twin);
      break;
    }
    case What::retarget:
      operation.peer = mutation.amount;
      break;
    case What::change_block:
      set.first += mutation.amount;
      break;
    case What::resize:
      set.count += mutation.amount;
      break;
    case What::change_kind:
      operation.kind = operation.kind == Kind::receive ? Kind::reduce : Kind::receive;
      break;
    case What::change_order:
      operation.order = operation.order == OperandOrder::mine_first ? OperandOrder::theirs_first
                                                                    : OperandOrder::mine_first;
      break;
    case What::change_sizes:
      operation.carries_sizes = !operation.carries_sizes;
      break;
    case What::move_round:
      operation.round += mutation.amount;
      break;
    case What::swap_rounds:
      std::swap(operation.round, operations[static_cast<std::size_t>(mutation.amount)].round);
      break;
    case What::swap_places:
      std::swap(operation, operations[mutation.operation + 1]);
      break;
    case What::change_repeat:
      operation.repeat.count += mutation.amount;
      break;
    case What::remove_dependency:
      break;  // once they are derived
  }
}

}  // namespace

std::string_view name_of(Mutation::Kind kind) {
  constexpr std::string_view names[] = {
      "drop",        "duplicate",     "retarget",         "change_block", "resize",
      "change_kind", "change_order",  "change_sizes",     "move_round",   "swap_rounds",
      "swap_places", "change_repeat", "remove_dependency"};
  return names[static_cast<std::size_t>(kind)];
}

std::string Mutation::text() const {
  return std::string(name_of(kind)) + " rank " + std::to_string(rank) + " operation " +
         std::to_string(operation) + " by " + std::to_string(amount) + " block set " +
         std::to_string(block_set);
}

std::vector<Mutation> mutations_of(std::span<const Schedule> schedules) {
  std::vector<Mutation> found;
  for (const Schedule& schedule : schedules) {
    for (std::uint32_t index = 0; index < schedule.operations.size(); ++index) {
      list_for(schedule, index, found);
    }
  }
  return found;
}

Schedule mutated(const Schedule& schedule, const Mutation& mutation) {
  Schedule changed = schedule;
  if (mutation.kind == What::remove_dependency) {
    Operation& operation = changed.operations[mutation.operation];
    auto& dependencies = changed.dependencies;
    const std::uint32_t last = operation.first_dependency + operation.dependency_count - 1;
    std::swap(
        dependencies[operation.first_dependency + static_cast<std::uint32_t>(mutation.amount)],
        dependencies[last]);
    --operation.dependency_count;
    return changed;
  }
  apply(changed, mutation);
  std::ranges::stable_sort(changed.operations, {}, &Operation::round);
  if (in_range(changed)) derive_dependencies(changed);
  return changed;
}

}  // namespace anabranch::verify
