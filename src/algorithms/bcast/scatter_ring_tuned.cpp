// Scatter and ring allgather without the transfers of chunks that the receiver has already.
//
// When: where scatter_ring_allgather is good, and links or memory are shared: it takes the same
// rounds, but sends sum(popcount(r), r < p) chunks less. Cost: (q + p - 1) alpha + 2 (p - 1) / p
// beta m. How: a rank's chunks from the scatter follow its own, so they are the last ones that the
// ring would bring: it stops receiving early, and its left neighbour stops sending. Source: paper
// C, section IV ("opt", figures 4 and 5, listing 1).
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
  add_ring_sends(builder, chunks, scatter_rounds, right, group.rank,
                 group.ranks - scattered_chunks(group.ranks, right));
  add_ring_receives(builder, chunks, scatter_rounds, left, left,
                    group.ranks - scattered_chunks(group.ranks, group.rank));
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  return parts_in_rounds_time_s(problem, values) + part_per_rank_time_s(problem, values);
}

}  // namespace

extern const Algorithm bcast_scatter_ring_tuned = {
    .id = "bcast/scatter_ring_tuned",
    .summary = "binomial scatter, then a ring that brings each rank only what it lacks",
    .source = "paper C, section IV",
    .cost = "(q + p - 1) alpha + 2 (p - 1) / p beta m",
    .collective = Collective::bcast,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = block_per_rank,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
