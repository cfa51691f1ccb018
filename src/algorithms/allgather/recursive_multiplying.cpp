// Recursive doubling of a radix: in each step up to k groups exchange all that they have.
//
// When: short messages on a network whose latency is above the overhead of a message: then a rank
// has several under way at once, and fewer steps are worth more than fewer messages of a rank.
// Cost: (f1 - 1 + f2 - 1 + ..) alpha + (p - 1) / p beta m with p = f1 f2 .. and factors up to k;
// ranks beyond such a product are folded in pairs: 2 alpha + up to (1 + 1 / p) beta m more. Radix 2
// is recursive doubling on a power of two of ranks.
// Source: Wilkins et al., CLUSTER 2023 (recursive multiplying).
#include <array>

#include "algorithms/mixed_radix.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

double exchange_time_s(const Problem& problem, const MixedRadix& exchange) {
  const Folding& folding = exchange.folding();
  double parts = folding.pairs() > 0 ? problem.ranks : 0;
  // The first groups have the most parts in every step.
  for (const RadixStep& step : exchange.steps()) {
    parts += (step.factor - 1) * folding.size(0, step.distance);
  }
  return parts_exchange_time_s(problem, exchange, parts);
}

std::int64_t best_radix(const Problem& problem) { return best_radix_of(problem, exchange_time_s); }

constexpr Parameter parameters[] = {exchange_radix_parameter(best_radix)};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const auto [ranks, rank] = std::pair(group.ranks, group.rank);
  const MixedRadix exchange(ranks, values[0]);
  const Folding& folding = exchange.folding();
  Builder builder = allgather_builder(ranks, rank, exchange.rounds(), block_count);
  const auto parts = [&](std::int32_t begin, std::int32_t end) {
    return blocks(begin * block_count, (end - begin) * block_count);
  };
  const auto all_but = [&](std::int32_t of) {
    return std::array{parts(0, of), parts(of + 1, ranks)};
  };
  const std::int32_t last = exchange.rounds() - 1;
  if (!folding.acts(rank)) {
    builder.send(0, rank - 1, parts(rank, rank + 1));
    builder.receive(last, rank - 1, all_but(rank));
    return std::move(builder).finish();
  }
  if (folding.is_paired(rank)) builder.receive(0, rank + 1, parts(rank + 1, rank + 2));
  const auto held = [&](std::int32_t of, const RadixStep& step) {
    const std::int32_t first = of / step.distance * step.distance;
    return parts(folding.first(first), folding.first(first + step.distance));
  };
  const std::int32_t mine = folding.group(rank);
  exchange.for_each_message(
      mine, [&](std::int32_t round, std::int32_t to, std::int32_t from, const RadixStep& step) {
        builder.send(round, folding.first(to), held(mine, step));
        builder.receive(round, folding.first(from), held(from, step));
      });
  if (folding.is_paired(rank)) builder.send(last, rank + 1, all_but(rank + 1));
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  return exchange_time_s(problem, MixedRadix(problem.ranks, values[0]));
}

}  // namespace

extern const Algorithm allgather_recursive_multiplying = {
    .id = "allgather/recursive_multiplying",
    .summary = "in each step up to k groups of ranks exchange all that they have",
    .source = "Wilkins et al., CLUSTER 2023",
    .cost =
        "(f1 - 1 + f2 - 1 + ..) alpha + (p - 1) / p beta m for p = f1 f2 .. with factors up to k, "
        "else up to 2 alpha + (1 + 1 / p) beta m more",
    .collective = Collective::allgather,
    .parameters = parameters,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
    // Where ranks are folded, messages of several sizes get in each other's way.
    .cost_slack = 1.5,
};

}  // namespace anabranch
