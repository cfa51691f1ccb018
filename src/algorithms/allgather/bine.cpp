// Bine butterfly: each round doubles what a rank has, the furthest partners first.
//
// When: any parts where ranks with near numbers are near each other in the network: the longest
// messages go to neighbours. Cost: q alpha + (p - 1) / p beta m for even p.
// How: algorithms/bine_butterfly.hpp; parts stay where they belong, as every fourth, eighth, .. of
// them from two places. An odd p folds the first two ranks: 2 alpha and beta m more, about.
// Source: De Sensi et al., Bine Trees, SC '25.
#include "algorithms/bine_butterfly.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder =
      allgather_builder(group.ranks, group.rank, bine_allgather_rounds(group.ranks), block_count);
  add_bine_allgather(builder, Chunks(group.ranks, group.ranks * block_count), 0, group.rank,
                     [](std::int32_t rank) { return RankRange{rank, 1}; });
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) { return bine_allgather_time_s(problem); }

}  // namespace

extern const Algorithm allgather_bine = {
    .id = "allgather/bine",
    .summary = "Bine butterfly: pairs exchange all they have, from far ones to neighbours",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "q alpha + (p - 1) / p beta m for even p, else about 2 alpha + beta m more",
    .collective = Collective::allgather,
    .saves_distance = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
    // Unless p is even, messages of several sizes get in each other's way.
    .cost_slack = 1.5,
};

}  // namespace anabranch
