// In each step ranks exchange all that they have with one twice as far away.
//
// When: short messages. Cost: log2 p (alpha + beta m) for powers of two, else
// (floor(log2 p) + 2)(alpha + beta m). Operands keep their order.
// How: other counts fold the first ranks in pairs, of which one waits for the result.
// Source: paper D, section 4.2; Thakur, Rabenseifner, Gropp, IJHPCA 19, 2005.
#include <algorithm>

#include "algorithms/folding.hpp"
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

std::int32_t rounds_of(const Folding& folding) {
  return folding.steps() + (folding.pairs() > 0 ? 2 : 0);
}

Schedule generate(std::int32_t ranks, std::int32_t rank, std::int32_t block_count, Values) {
  const Folding folding(ranks);
  const std::int32_t fold = folding.pairs() > 0 ? 1 : 0;
  const std::int32_t last_round = std::max(rounds_of(folding), 1) - 1;
  Builder builder(ranks, rank, last_round + 1, block_count);
  const BlockSet own = blocks(0, block_count, Buffer::input);
  const BlockSet result = blocks(0, block_count);
  builder.input(block_count);
  if (!folding.acts(rank)) {
    builder.send(0, rank - 1, own);
    builder.receive(last_round, rank - 1, result);
    return std::move(builder).finish();
  }
  builder.copy(0, result, own);
  if (folding.is_paired(rank)) builder.reduce(0, rank + 1, result, OperandOrder::mine_first);
  const std::int32_t group = folding.group(rank);
  for (std::int32_t step = 0; step < folding.steps(); ++step) {
    const std::int32_t partner = group ^ (std::int32_t{1} << step);
    const std::int32_t peer = folding.first(partner);
    builder.send(fold + step, peer, result);
    builder.reduce(fold + step, peer, result,
                   group < partner ? OperandOrder::mine_first : OperandOrder::theirs_first);
  }
  if (folding.is_paired(rank)) builder.send(last_round, rank + 1, result);
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  return rounds_time_s(problem, rounds_of(Folding(problem.ranks)), 1);
}

}  // namespace

extern const Algorithm allreduce_recursive_doubling = {
    .id = "allreduce/recursive_doubling",
    .summary = "exchange everything over doubling distances",
    .source = "paper D, section 4.2; Thakur, Rabenseifner, Gropp, IJHPCA 19 (2005)",
    .cost = "r (alpha + beta m), r = log2 p where that is whole, else floor(log2 p) + 2",
    .collective = Collective::allreduce,
    .blocks = one_block,
    .generate = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
