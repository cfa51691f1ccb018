// In each step ranks exchange all that they have with one twice as far away.
//
// When: short messages. Cost: log2 p (alpha + beta m) for powers of two, else
// (floor(log2 p) + 2)(alpha + beta m). Operands keep their order.
// How: other counts fold the first ranks in pairs, of which one waits for the result.
// Source: paper D, section 4.2; Thakur, Rabenseifner, Gropp, IJHPCA 19, 2005.
#include "algorithms/folded_exchange.hpp"
#include "algorithms/segments.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const BlockSet all = blocks(0, block_count);
  const auto everything = [&](const auto&...) { return all; };
  return folded_exchange(Folding(group.ranks), DoublingPairs(), group.ranks, group.rank,
                         block_count, all, everything, everything);
}

double cost_s(const Problem& problem, Values) {
  return rounds_time_s(problem, Folding(problem.ranks).rounds(), 1);
}

}  // namespace

extern const Algorithm allreduce_recursive_doubling = {
    .id = "allreduce/recursive_doubling",
    .summary = "exchange everything over doubling distances",
    .source = "paper D, section 4.2; Thakur, Rabenseifner, Gropp, IJHPCA 19 (2005)",
    .cost = "r (alpha + beta m), r = log2 p where that is whole, else floor(log2 p) + 2",
    .collective = Collective::allreduce,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
