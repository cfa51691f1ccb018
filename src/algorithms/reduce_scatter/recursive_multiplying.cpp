// Recursive halving of a radix: in each step up to k groups hand each other what those still need.
//
// When: short vectors on a network whose latency is above the overhead of a message: a rank then
// has several messages under way at once. Also for multiples of three ranks if the MPI_Op does not
// commute: these need not be folded in pairs.
// Cost: (f1 - 1 + f2 - 1 + ..) alpha + (p - 1) / p beta m with p = f1 f2 .. and factors up to k;
// ranks beyond such a product are folded in pairs: 2 alpha + up to (1 + 1 / p) beta m more. Radix 2
// is recursive halving on a power of two of ranks. Operands keep their order.
// How: distances multiply, as in allgather/recursive_multiplying; a rank keeps every f-th group's
// part of those that it has. What comes from ranks behind it is combined apart at first.
// Source: Wilkins et al., CLUSTER 2023 (recursive multiplying).
#include <algorithm>

#include "algorithms/folded_exchange.hpp"
#include "algorithms/mixed_radix.hpp"

namespace anabranch {
namespace {

double exchange_time_s(const Problem& problem, const MixedRadix& exchange) {
  const Folding& folding = exchange.folding();
  double parts = folding.pairs() > 0 ? problem.ranks + 1 : 0;
  // What is for the first group is the most in every step.
  for (const RadixStep& step : exchange.steps()) {
    const std::int32_t every = step.factor * step.distance;
    for (const BlockSet& set : parts_of_every(folding, 0, every, 1)) {
      parts += static_cast<double>(step.factor - 1) * set.count;
    }
  }
  return parts_exchange_time_s(problem, exchange, parts);
}

std::int64_t best_radix(const Problem& problem) { return best_radix_of(problem, exchange_time_s); }

constexpr Parameter parameters[] = {exchange_radix_parameter(best_radix)};

// Whether the group combines some messages apart: of more than one group behind it in a step.
bool needs_room_apart(const RadixStep& step, std::int32_t group) {
  return step.digit(group) + 2 < step.factor;
}

// Messages come from the group before, then from the one before that, around: so those of the
// groups behind come last, in the opposite order.
void add_step(Builder& builder, const Folding& folding, const RadixStep& step, std::int32_t group,
              std::int32_t block_count, std::int32_t ranks) {
  const auto needed = [&](std::int32_t by) {
    const std::int32_t every = step.factor * step.distance;
    return parts_of_every(folding, by % every, every, block_count);
  };
  const bool is_apart = needs_room_apart(step, group);
  const auto held = needed(group);
  auto apart = held;
  for (BlockSet& set : apart) set.first += ranks * block_count;
  for (std::int32_t ahead = 1; ahead < step.factor; ++ahead) {
    const std::int32_t round = step.round + ahead - 1;
    const std::int32_t to = step.shifted(group, ahead);
    const std::int32_t from = step.shifted(group, step.factor - ahead);
    const std::int32_t peer = folding.first(from);
    builder.send(round, folding.first(to), needed(to));
    if (from < group) {
      builder.reduce(round, peer, held, OperandOrder::theirs_first);
    } else if (!is_apart) {
      builder.reduce(round, peer, held, OperandOrder::mine_first);
    } else if (step.digit(from) + 1 == step.factor) {
      builder.receive(round, peer, apart);
    } else {
      builder.reduce(round, peer, apart, OperandOrder::theirs_first);
    }
  }
  if (!is_apart) return;
  const std::int32_t last_round = step.round + step.factor - 2;
  for (std::size_t i = 0; i < held.size(); ++i) {
    builder.combine(last_round, apart[i], held[i]);
    builder.copy(last_round, held[i], apart[i]);
  }
}

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const auto [ranks, rank] = std::pair(group.ranks, group.rank);
  const MixedRadix exchange(ranks, values[0]);
  const Folding& folding = exchange.folding();
  const std::int32_t last = std::max(exchange.rounds(), 1) - 1;
  Builder builder(ranks, rank, last + 1, block_count);
  const BlockSet all = blocks(0, ranks * block_count, Buffer::input);
  builder.input(all.count);
  if (!folding.acts(rank)) {
    builder.send(0, rank - 1, all);
    builder.receive(last, rank - 1, blocks(0, block_count));
    return std::move(builder).finish();
  }
  const std::int32_t mine = folding.group(rank);
  const BlockSet held = blocks(0, all.count, Buffer::scratch);
  const bool is_apart = std::ranges::any_of(
      exchange.steps(), [&](const RadixStep& step) { return needs_room_apart(step, mine); });
  builder.scratch(is_apart ? 2 * held.count : held.count);
  builder.copy(0, held, all);
  if (folding.is_paired(rank)) builder.reduce(0, rank + 1, held, OperandOrder::mine_first);
  for (const RadixStep& step : exchange.steps()) {
    add_step(builder, folding, step, mine, block_count, ranks);
  }
  const auto part = [&](std::int32_t of) {
    return blocks(of * block_count, block_count, Buffer::scratch);
  };
  builder.copy(last, blocks(0, block_count), part(rank));
  if (folding.is_paired(rank)) builder.send(last, rank + 1, part(rank + 1));
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  return exchange_time_s(problem, MixedRadix(problem.ranks, values[0]));
}

}  // namespace

extern const Algorithm reduce_scatter_recursive_multiplying = {
    .id = "reduce_scatter/recursive_multiplying",
    .summary = "in each step up to k groups of ranks hand each other what those still need",
    .source = "Wilkins et al., CLUSTER 2023",
    .cost =
        "(f1 - 1 + f2 - 1 + ..) alpha + (p - 1) / p beta m for p = f1 f2 .. with factors up to k, "
        "else up to 2 alpha + (1 + 1 / p) beta m more",
    .collective = Collective::reduce_scatter,
    .parameters = parameters,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
    // Where ranks are folded, messages of several sizes get in each other's way.
    .cost_slack = 1.12,
};

}  // namespace anabranch
