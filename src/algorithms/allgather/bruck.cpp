// Each round doubles what a rank has, around a ring: it receives from r + 2^k what r + 2^k has.
//
// When: short and medium messages on any number of ranks. Cost: q alpha + (p - 1) / p beta m.
// How: parts stay where they belong, so that nothing is rotated in the end; a message around the
// end of the ring is in two pieces.
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8 (11), 1997.
#include "algorithms/doubling.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder = allgather_builder(group.ranks, group.rank, ceil_log2(group.ranks), block_count);
  add_exchanges(builder, Chunks(group.ranks, group.ranks * block_count), 0, group.rank,
                circulant_doubling(doubled(group.ranks), group.rank), own_chunk);
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm allgather_bruck = {
    .id = "allgather/bruck",
    .summary = "each rank doubles what it has in every round, from ranks 1, 2, 4, .. ahead",
    .source = "Bruck et al., IEEE TPDS 8 (11), 1997",
    .cost = "q alpha + (p - 1) / p beta m",
    .collective = Collective::allgather,
    .blocks = one_block,
    .make = generate,
    .cost_s = parts_in_rounds_time_s,
};

}  // namespace anabranch
