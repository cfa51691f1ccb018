#include "schedule/builder.hpp"

#include <algorithm>

#include "schedule/dependencies.hpp"

namespace anabranch {
namespace {

// Those of one round keep their order.
void sort_by_round(std::vector<Operation>& operations) {
  const auto earlier = [](const Operation& a, const Operation& b) { return a.round < b.round; };
  constexpr std::size_t few = 64;
  if (operations.size() > few) {
    std::stable_sort(operations.begin(), operations.end(), earlier);
    return;
  }
  // Generators leave few operations out of place: this needs no memory.
  for (auto next = operations.begin(); next != operations.end(); ++next) {
    std::rotate(std::upper_bound(operations.begin(), next, *next, earlier), next, next + 1);
  }
}

}  // namespace

Builder::Builder(std::int32_t ranks, std::int32_t rank, std::int32_t rounds,
                 std::int32_t output_blocks) {
  schedule_.ranks = ranks;
  schedule_.rank = rank;
  schedule_.rounds = rounds;
  schedule_.block_count[static_cast<int>(Buffer::output)] = output_blocks;
}

Builder& Builder::input(std::int32_t blocks) {
  schedule_.block_count[static_cast<int>(Buffer::input)] = blocks;
  return *this;
}

Builder& Builder::scratch(std::int32_t blocks) {
  schedule_.block_count[static_cast<int>(Buffer::scratch)] = blocks;
  return *this;
}

void Builder::reserve(std::size_t operations) {
  schedule_.operations.reserve(operations);
  schedule_.block_sets.reserve(operations);
}

void Builder::add(Kind kind, std::int32_t round, std::int32_t peer,
                  std::span<const BlockSet> block_sets, OperandOrder order, Repeat repeat) {
  was_left_out_ = true;
  if (repeat.count <= 0) return;
  const std::size_t first_block_set = schedule_.block_sets.size();
  for (const BlockSet& set : block_sets) {
    if (set.count > 0) schedule_.block_sets.push_back(set);
  }
  const auto block_set_count =
      static_cast<std::uint32_t>(schedule_.block_sets.size() - first_block_set);
  if (block_set_count == 0) return;
  was_left_out_ = false;
  auto& operations = schedule_.operations;
  sorted_ = sorted_ && (operations.empty() || operations.back().round <= round);
  Operation& operation = operations.emplace_back();
  operation.kind = kind;
  operation.order = order;
  operation.peer = peer;
  operation.round = round;
  operation.repeat = repeat;
  operation.first_block_set = static_cast<std::uint32_t>(first_block_set);
  operation.block_set_count = kind == Kind::copy ? block_set_count / 2 : block_set_count;
}

void Builder::send(std::int32_t round, std::int32_t peer, BlockSet blocks, Repeat repeat) {
  add(Kind::send, round, peer, {&blocks, 1}, OperandOrder::mine_first, repeat);
}
void Builder::receive(std::int32_t round, std::int32_t peer, BlockSet blocks, Repeat repeat) {
  add(Kind::receive, round, peer, {&blocks, 1}, OperandOrder::mine_first, repeat);
}
void Builder::reduce(std::int32_t round, std::int32_t peer, BlockSet blocks, OperandOrder order,
                     Repeat repeat) {
  add(Kind::reduce, round, peer, {&blocks, 1}, order, repeat);
}
void Builder::copy(std::int32_t round, BlockSet destination, BlockSet source) {
  const BlockSet block_sets[2] = {destination, source};
  add(Kind::copy, round, -1, block_sets, OperandOrder::mine_first, {});
}
void Builder::combine(std::int32_t round, BlockSet destination, BlockSet source) {
  copy(round, destination, source);
  newest().combines = true;
}
void Builder::send(std::int32_t round, std::int32_t peer, std::span<const BlockSet> block_sets,
                   Repeat repeat) {
  add(Kind::send, round, peer, block_sets, OperandOrder::mine_first, repeat);
}
void Builder::receive(std::int32_t round, std::int32_t peer, std::span<const BlockSet> block_sets,
                      Repeat repeat) {
  add(Kind::receive, round, peer, block_sets, OperandOrder::mine_first, repeat);
}
void Builder::reduce(std::int32_t round, std::int32_t peer, std::span<const BlockSet> block_sets,
                     OperandOrder order, Repeat repeat) {
  add(Kind::reduce, round, peer, block_sets, order, repeat);
}

void Builder::append(const Schedule& other, std::int32_t first_round,
                     std::span<const std::int32_t> members) {
  for (const Operation& operation : other.operations) {
    Operation moved = operation;
    moved.round += first_round;
    if (moved.peer >= 0 && !members.empty()) {
      moved.peer = members[static_cast<std::size_t>(moved.peer)];
    }
    moved.first_block_set = static_cast<std::uint32_t>(schedule_.block_sets.size());
    const auto held = other.all_block_sets_of(operation);
    schedule_.block_sets.insert(schedule_.block_sets.end(), held.begin(), held.end());
    sorted_ = sorted_ &&
              (schedule_.operations.empty() || schedule_.operations.back().round <= moved.round);
    schedule_.operations.push_back(moved);
  }
  was_left_out_ = true;
  for (int buffer = 0; buffer < 3; ++buffer) {
    schedule_.block_count[buffer] =
        std::max(schedule_.block_count[buffer], other.block_count[buffer]);
  }
}

Schedule Builder::finish() && {
  if (!sorted_) sort_by_round(schedule_.operations);
  derive_dependencies(schedule_);
  return std::move(schedule_);
}

}  // namespace anabranch
