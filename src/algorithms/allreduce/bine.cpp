// Bine butterfly: in each step pairs exchange all that they have, the furthest partners first.
//
// When: short messages where ranks with near numbers are near each other in the network, and the
// MPI_Op commutes. Cost: log2 p (alpha + beta m) for powers of two, else
// (floor(log2 p) + 2)(alpha + beta m).
// How: with distances that halve, all ranks that have the same operands combined them alike, so
// all get the same bits. Other counts fold the first ranks in pairs, as the source's libraries do.
// Source: De Sensi et al., Bine Trees, SC '25.
#include "algorithms/bine_butterfly.hpp"
#include "algorithms/folded_exchange.hpp"
#include "algorithms/segments.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const Folding folding(group.ranks);
  const BinePairs pairs{.butterfly = BineButterfly(folding.groups()), .halves_distances = true};
  const BlockSet all = blocks(0, block_count);
  const auto everything = [&](const auto&...) { return all; };
  return folded_exchange(folding, pairs, group.ranks, group.rank, block_count, all, everything,
                         everything);
}

double cost_s(const Problem& problem, Values) {
  return rounds_time_s(problem, Folding(problem.ranks).rounds(), 1);
}

}  // namespace

extern const Algorithm allreduce_bine = {
    .id = "allreduce/bine",
    .summary = "Bine butterfly: exchange everything with partners two thirds as far away",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "r (alpha + beta m), r = log2 p where that is whole, else floor(log2 p) + 2",
    .collective = Collective::allreduce,
    .commutative_only = true,
    .saves_distance = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
