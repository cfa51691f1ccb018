// Recursive doubling of a radix: in each step up to k groups exchange and combine all that they
// have.
//
// When: short messages on a network whose latency is above the overhead of a message: then a rank
// has several under way at once, and fewer steps are worth more than fewer messages of a rank. Also
// for multiples of three ranks, which then need not be folded in pairs.
// Cost: (f1 - 1 + f2 - 1 + ..)(alpha + beta m) with p = f1 f2 .. and factors up to k; ranks beyond
// such a product are folded in pairs: 2 (alpha + beta m) more. Radix 2 is recursive doubling.
// How: operands keep their order, and all ranks combine them in one way, so that all have the same
// bits. With more than two groups in a step that takes memory for the messages of all.
// Source: Wilkins et al., CLUSTER 2023 (recursive multiplying).
#include <algorithm>

#include "algorithms/mixed_radix.hpp"
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

double exchange_time_s(const Problem& problem, const MixedRadix& exchange) {
  return turns_time_s(problem.network, exchange.turns(), static_cast<double>(problem.size_bytes));
}

std::int64_t best_radix(const Problem& problem) { return best_radix_of(problem, exchange_time_s); }

constexpr Parameter parameters[] = {exchange_radix_parameter(best_radix)};

// Messages of one step, in the order of groups, as long as they are not combined.
class Slots {
 public:
  Slots(const RadixStep& step, std::int32_t group, std::int32_t block_count)
      : own_(step.digit(group)), block_count_(block_count) {}

  // Of the group with this digit; the rank's own value stays in the output.
  BlockSet of(std::int32_t digit) const {
    if (digit == own_) return blocks(0, block_count_);
    return blocks((digit < own_ ? digit : digit - 1) * block_count_, block_count_, Buffer::scratch);
  }

 private:
  std::int32_t own_;
  std::int32_t block_count_;
};

// Two groups combine what comes with what is there.
void add_pair(Builder& builder, const MixedRadix& exchange, const RadixStep& step,
              std::int32_t group, const BlockSet& all) {
  const std::int32_t other = step.shifted(group, 1);
  const std::int32_t peer = exchange.folding().first(other);
  builder.send(step.round, peer, all);
  builder.reduce(step.round, peer, all,
                 group < other ? OperandOrder::mine_first : OperandOrder::theirs_first);
}

// More keep what comes until all is there, and begin with the last one's.
void add_exchange(Builder& builder, const MixedRadix& exchange, const RadixStep& step,
                  std::int32_t group, const BlockSet& all) {
  const Slots slots(step, group, all.count);
  for (std::int32_t ahead = 1; ahead < step.factor; ++ahead) {
    const std::int32_t round = step.round + ahead - 1;
    const std::int32_t from = step.shifted(group, step.factor - ahead);
    builder.send(round, exchange.folding().first(step.shifted(group, ahead)), all);
    builder.receive(round, exchange.folding().first(from), slots.of(step.digit(from)));
  }
  const std::int32_t last_round = step.round + step.factor - 2;
  const BlockSet combined = slots.of(step.factor - 1);
  for (std::int32_t digit = step.factor - 2; digit >= 0; --digit) {
    builder.combine(last_round, combined, slots.of(digit));
  }
  if (combined != all) builder.copy(last_round, all, combined);
}

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const MixedRadix exchange(group.ranks, values[0]);
  const Folding& folding = exchange.folding();
  const std::int32_t rank = group.rank;
  const std::int32_t last = std::max(exchange.rounds(), 1) - 1;
  Builder builder(group.ranks, rank, last + 1, block_count);
  builder.input(block_count);
  const BlockSet all = blocks(0, block_count);
  const BlockSet own = blocks(0, block_count, Buffer::input);
  if (!folding.acts(rank)) {
    builder.send(0, rank - 1, own);
    builder.receive(last, rank - 1, all);
    return std::move(builder).finish();
  }
  std::int32_t most = 2;
  for (const RadixStep& step : exchange.steps()) most = std::max(most, step.factor);
  if (most > 2) builder.scratch((most - 1) * block_count);
  builder.copy(0, all, own);
  if (folding.is_paired(rank)) builder.reduce(0, rank + 1, all, OperandOrder::mine_first);
  for (const RadixStep& step : exchange.steps()) {
    const auto add = step.factor == 2 ? add_pair : add_exchange;
    add(builder, exchange, step, folding.group(rank), all);
  }
  if (folding.is_paired(rank)) builder.send(last, rank + 1, all);
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  return exchange_time_s(problem, MixedRadix(problem.ranks, values[0]));
}

}  // namespace

extern const Algorithm allreduce_recursive_multiplying = {
    .id = "allreduce/recursive_multiplying",
    .summary = "in each step up to k groups of ranks exchange and combine everything",
    .source = "Wilkins et al., CLUSTER 2023",
    .cost =
        "(f1 - 1 + f2 - 1 + ..)(alpha + beta m) for p = f1 f2 .. with factors up to k, else "
        "2 (alpha + beta m) more than for the next smaller such number",
    .collective = Collective::allreduce,
    .parameters = parameters,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
