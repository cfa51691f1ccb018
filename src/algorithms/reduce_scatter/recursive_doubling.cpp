// In each step ranks exchange with one twice as far away everything but the parts of those whose
// contributions they have combined already.
//
// When: short vectors, as a baseline: recursive_halving sends less in the same steps.
// Cost: q alpha + (q - (p - 1) / p) beta m for powers of two. Operands keep their order.
// How: other counts fold the first ranks in pairs, 2 more steps.
// Source: paper D, section 4.4 (short messages).
#include <algorithm>
#include <array>

#include "algorithms/folded_exchange.hpp"

namespace anabranch {
namespace {

// All parts but those of the aligned 2^step groups that hold `group`.
std::array<BlockSet, 2> others(const Folding& folding, std::int32_t group, std::int32_t step,
                               std::int32_t block_count) {
  const std::int32_t count = std::int32_t{1} << step;
  const std::int32_t first = group & -count;
  const std::int32_t begin = folding.first(first) * block_count;
  const std::int32_t end = folding.first(first + count) * block_count;
  const std::int32_t all = folding.first(folding.groups()) * block_count;
  return {blocks(0, begin, Buffer::scratch), blocks(end, all - end, Buffer::scratch)};
}

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  return folded_reduce_scatter(
      Folding(group.ranks), DoublingPairs(), group.ranks, group.rank, block_count,
      [&](const Folding& folding, std::int32_t from, std::int32_t, std::int32_t step) {
        return others(folding, from, step, block_count);
      });
}

// The last to be ready is the last pair; with each step so are twice as many groups around it.
double cost_s(const Problem& problem, Values) {
  const Folding folding(problem.ranks);
  const std::int32_t last = std::max(folding.pairs() - 1, 0);
  double parts = 0;
  for (std::int32_t count = 1; count < folding.groups(); count *= 2) {
    const std::int32_t mine = last & -count;
    const std::int32_t theirs = mine ^ count;
    parts += problem.ranks -
             std::min(folding.size(mine, mine + count), folding.size(theirs, theirs + count));
  }
  return folded_time_s(problem, parts);
}

}  // namespace

extern const Algorithm reduce_scatter_recursive_doubling = {
    .id = "reduce_scatter/recursive_doubling",
    .summary = "exchange all that the other side may need, over doubling distances",
    .source = "paper D, section 4.4",
    .cost =
        "q alpha + (q - (p - 1) / p) beta m for p = 2^q, else up to 2 alpha + (1 + 1 / p) beta m "
        "more",
    .collective = Collective::reduce_scatter,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
    // Unless p is a power of two, messages of several sizes get in each other's way.
    .cost_slack = 1.36,
};

}  // namespace anabranch
