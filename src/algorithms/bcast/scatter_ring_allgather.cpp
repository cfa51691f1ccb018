// Scatter of one chunk per rank down a binomial tree, then an allgather around a ring.
//
// When: long messages on networks where neighbours in the ring are near each other; MPICH's choice
// for them. Cost: (q + p - 1) alpha + 2 (p - 1) / p beta m.
// The ring hands each rank p - 1 chunks whether it has them from the scatter or not: p(p - 1)
// transfers, of which scatter_ring_tuned leaves out those that nobody needs.
// Source: paper C, section III ("native").
#include "algorithms/parts.hpp"
#include "algorithms/scatter_allgather.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const std::int32_t scatter_rounds = ceil_log2(group.ranks);
  Builder builder(group.ranks, group.rank, scatter_rounds + group.ranks - 1, block_count);
  if (group.ranks == 1) return std::move(builder).finish();
  const Chunks chunks(group.ranks, block_count);
  const std::int32_t left = (group.rank + group.ranks - 1) % group.ranks;
  const std::int32_t right = (group.rank + 1) % group.ranks;
  builder.reserve(static_cast<std::size_t>(scatter_rounds) + 6);
  add_binomial_scatter(builder, chunks, group.rank);
  add_ring_sends(builder, chunks, scatter_rounds, right, group.rank, group.ranks - 1);
  add_ring_receives(builder, chunks, scatter_rounds, left, left, group.ranks - 1);
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  return parts_in_rounds_time_s(problem, values) + part_per_rank_time_s(problem, values);
}

}  // namespace

extern const Algorithm bcast_scatter_ring_allgather = {
    .id = "bcast/scatter_ring_allgather",
    .summary = "binomial scatter, then an allgather around a ring",
    .source = "paper C, section III",
    .cost = "(q + p - 1) alpha + 2 (p - 1) / p beta m",
    .collective = Collective::bcast,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = block_per_rank,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
