// Pairs of ranks, 1, 2, 4, .. apart, exchange all that they have.
//
// When: short and medium messages on a power of two of ranks. Cost: q alpha + (p - 1) / p beta m
// there. With any other p a subtree without a whole partner passes on what came, in a tree of its
// own, before the next step: floor(log2 p) rounds more at most, as algorithms/doubling.hpp tells.
// Source: paper D, section 4.2.
#include "algorithms/doubling.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder = allgather_builder(group.ranks, group.rank,
                                      recursive_doubling_rounds(group.ranks), block_count);
  add_exchanges(builder, Chunks(group.ranks, group.ranks * block_count), 0, group.rank,
                recursive_doubling(group.ranks, group.rank), own_chunk);
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  return recursive_doubling_time_s(problem, static_cast<double>(problem.part_bytes()));
}

}  // namespace

extern const Algorithm allgather_recursive_doubling = {
    .id = "allgather/recursive_doubling",
    .summary = "pairs 1, 2, 4, .. apart exchange all they have; subtrees without a partner mend",
    .source = "paper D, section 4.2",
    .cost = "q alpha + (p - 1) / p beta m for powers of two; else up to twice the rounds",
    .collective = Collective::allgather,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
    // Unless p is a power of two, long messages of later rounds can keep short ones waiting.
    .cost_slack = 2,
};

}  // namespace anabranch
