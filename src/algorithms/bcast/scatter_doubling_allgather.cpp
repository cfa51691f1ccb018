// Scatter of one chunk per rank down a binomial tree, then an allgather that doubles what each rank
// holds in every round.
//
// When: medium and long messages on switched networks. Cost: 2 q alpha + 2 (p - 1) / p beta m.
// How: with p a power of two, ranks exchange with the rank that differs in bit k (paper D). Paper D
// then repairs incomplete subtrees in extra rounds; here any other p doubles around the ring
// instead (receive from r + 2^k), which needs q rounds and no repair. Chunks that the receiver has
// from the scatter are left out. Source: paper D, sections 4.2 and 4.3.
#include <bit>

#include "algorithms/doubling.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

// Paper D's for powers of two.
std::vector<Exchange> exchanges(std::int32_t ranks, std::int32_t rank) {
  const bool in_pairs = std::has_single_bit(static_cast<std::uint32_t>(ranks));
  return in_pairs ? recursive_doubling(ranks, rank) : circulant_doubling(doubled(ranks), rank);
}

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const std::int32_t steps = ceil_log2(group.ranks);
  Builder builder(group.ranks, group.rank, 2 * steps, block_count);
  const Chunks chunks(group.ranks, block_count);
  builder.reserve(static_cast<std::size_t>(3 * steps + 1));
  add_binomial_scatter(builder, chunks, group.rank);
  add_exchanges(builder, chunks, steps, group.rank, exchanges(group.ranks, group.rank),
                scattered_chunks);
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  return 2 * parts_in_rounds_time_s(problem, values);
}

}  // namespace

extern const Algorithm bcast_scatter_doubling_allgather = {
    .id = "bcast/scatter_doubling_allgather",
    .summary = "binomial scatter, then an allgather by recursive doubling",
    .source = "paper D, sections 4.2 and 4.3",
    .cost = "2 q alpha + 2 (p - 1) / p beta m",
    .collective = Collective::bcast,
    .blocks = block_per_rank,
    .make = generate,
    .cost_s = cost_s,
    // Unless p is a power of two, long messages of later rounds can keep short ones waiting.
    .cost_slack = 2,
};

}  // namespace anabranch
