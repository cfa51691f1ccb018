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

Schedule generate(std::int32_t ranks, std::int32_t rank, std::int32_t block_count, Values) {
  const std::int32_t scatter_rounds = ceil_log2(ranks);
  Builder builder(ranks, rank, scatter_rounds + ranks - 1, block_count);
  if (ranks == 1) return std::move(builder).finish();
  const Chunks chunks(ranks, block_count);
  const std::int32_t left = (rank + ranks - 1) % ranks;
  const std::int32_t right = (rank + 1) % ranks;
  builder.reserve(static_cast<std::size_t>(scatter_rounds) + 6);
  add_binomial_scatter(builder, chunks, rank, scattered(chunks, rank));
  add_ring_sends(builder, chunks, scatter_rounds, right, rank,
                 ranks - scattered_chunks(ranks, right));
  add_ring_receives(builder, chunks, scatter_rounds, left, left,
                    ranks - scattered_chunks(ranks, rank));
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
    .blocks = block_per_rank,
    .generate = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
