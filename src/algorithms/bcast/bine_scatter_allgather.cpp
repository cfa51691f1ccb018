// Scatter of one chunk per rank down a Bine tree, then an allgather over a Bine butterfly.
//
// When: medium and long messages where ranks with near numbers are near each other in the network.
// Cost: 2 q alpha + 2 (p - 1) / p beta m for even p.
// How: the longest messages of the allgather go to the nearest partners. Chunks that the receiver
// has from the scatter are left out. The source scatters the other way round, nearest partner
// first, which moves the same bytes as far in all; here subtrees are ranges of chunks. Ranks count
// from the root. An odd p folds the first two ranks. Source: De Sensi et al., Bine Trees, SC '25.
#include "algorithms/bine_butterfly.hpp"
#include "algorithms/bine_tree.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const BineTree tree(group.ranks);
  // The root has all, so nothing is left to do in the first round of an odd number of ranks.
  const std::int32_t first_round = tree.rounds() - Folding::to_even(group.ranks).pairs();
  const Chunks chunks(group.ranks, block_count);
  Builder builder(group.ranks, group.rank, first_round + bine_allgather_rounds(group.ranks),
                  block_count);
  add_bine_scatter(builder, chunks, group.rank);
  add_bine_allgather(builder, chunks, first_round, group.rank, [&](std::int32_t rank) {
    return RankRange{tree.first_of(rank), tree.subtree(rank)};
  });
  return std::move(builder).finish();
}

// On some odd counts, of which 39 is the first, one chunk more than the model says.
double cost_s(const Problem& problem, Values values) {
  return parts_in_rounds_time_s(problem, values) + bine_allgather_time_s(problem, true);
}

}  // namespace

extern const Algorithm bcast_bine_scatter_allgather = {
    .id = "bcast/bine_scatter_allgather",
    .summary = "scatter down a Bine tree, then an allgather over a Bine butterfly",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "2 q alpha + 2 (p - 1) / p beta m for even p, else about alpha + beta m more",
    .collective = Collective::bcast,
    .saves_distance = true,
    .blocks = block_per_rank,
    .make = generate,
    .cost_s = cost_s,
    // Long messages of later rounds can keep short ones waiting.
    .cost_slack = 2,
};

}  // namespace anabranch
