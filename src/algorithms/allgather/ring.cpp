// Around a ring: each rank passes on what it received in the round before.
//
// When: long messages where neighbours in the ring are near each other. Cost: (p - 1) alpha +
// (p - 1) / p beta m. Source: paper D, section 4.2 (the old algorithm).
#include "algorithms/parts.hpp"
#include "algorithms/scatter_allgather.hpp"

namespace anabranch {
namespace {

Schedule generate(std::int32_t ranks, std::int32_t rank, std::int32_t block_count, Values) {
  Builder builder = allgather_builder(ranks, rank, ranks - 1, block_count);
  if (ranks == 1) return std::move(builder).finish();
  const Chunks chunks(ranks, ranks * block_count);
  const std::int32_t left = (rank + ranks - 1) % ranks;
  add_ring_sends(builder, chunks, 0, (rank + 1) % ranks, rank, ranks - 1);
  add_ring_receives(builder, chunks, 0, left, left, ranks - 1);
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm allgather_ring = {
    .id = "allgather/ring",
    .summary = "each rank passes on around a ring what it received last",
    .source = "paper D, section 4.2",
    .cost = "(p - 1) alpha + (p - 1) / p beta m",
    .collective = Collective::allgather,
    .blocks = one_block,
    .generate = generate,
    .cost_s = part_per_rank_time_s,
};

}  // namespace anabranch
