// Scatter of one chunk per rank down a binomial tree, then an allgather that doubles what each rank
// holds in every round.
//
// When: medium and long messages on switched networks. Cost: 2 q alpha + 2 (p - 1) / p beta m.
// How: with p a power of two, ranks exchange with the rank that differs in bit k (paper D). Paper D
// repairs incomplete subtrees of other p in extra rounds (`correction=1`); by default any other p
// doubles around the ring instead (receive from r + 2^k), which needs q rounds and no repair.
// Chunks that the receiver has from the scatter are left out. Source: paper D, sections 4.2
// and 4.3.
#include <bit>

#include "algorithms/doubling.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {{
    .name = "correction",
    .summary = "if p is no power of two, 1: pairs and corrections (paper D); 0: around the ring",
    .minimum = 0,
    .maximum = 1,
    .default_value = [](const Problem&) -> std::int64_t { return 0; },
}};

bool goes_in_pairs(std::int32_t ranks, Values values) {
  return values[0] == 1 || std::has_single_bit(static_cast<std::uint32_t>(ranks));
}

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const bool in_pairs = goes_in_pairs(group.ranks, values);
  const std::int32_t steps = ceil_log2(group.ranks);
  const std::int32_t doubling = in_pairs ? recursive_doubling_rounds(group.ranks) : steps;
  Builder builder(group.ranks, group.rank, steps + doubling, block_count);
  const Chunks chunks(group.ranks, block_count);
  builder.reserve(static_cast<std::size_t>(steps + 2 * doubling + 1));
  add_binomial_scatter(builder, chunks, group.rank);
  add_exchanges(builder, chunks, steps, group.rank,
                in_pairs ? recursive_doubling(group.ranks, group.rank)
                         : circulant_doubling(doubled(group.ranks), group.rank),
                scattered_chunks);
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  const double scatter_s = parts_in_rounds_time_s(problem, values);
  if (!goes_in_pairs(problem.ranks, values)) return 2 * scatter_s;
  return scatter_s + recursive_doubling_time_s(problem, static_cast<double>(problem.part_bytes()));
}

}  // namespace

extern const Algorithm bcast_scatter_doubling_allgather = {
    .id = "bcast/scatter_doubling_allgather",
    .summary = "binomial scatter, then an allgather by recursive doubling",
    .source = "paper D, sections 4.2 and 4.3",
    .cost = "2 q alpha + 2 (p - 1) / p beta m; corrections take up to floor(log2 p) rounds more",
    .collective = Collective::bcast,
    .parameters = parameters,
    .blocks = block_per_rank,
    .make = generate,
    .cost_s = cost_s,
    // Unless p is a power of two, long messages of later rounds can keep short ones waiting.
    .cost_slack = 2,
};

}  // namespace anabranch
