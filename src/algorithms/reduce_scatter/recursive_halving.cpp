// In each step ranks exchange with one twice as far away what the other still needs: half of what
// there is.
//
// When: medium and long vectors, also where the MPI_Op does not commute.
// Cost: q alpha + (p - 1) / p beta m for powers of two; else 2 alpha + (1 + 1 / p) beta m more.
// How: distances double, so that what is combined comes from neighbouring ranks, in their order; so
// a rank keeps every second part of those that it has, not half of a range. Other counts fold the
// first ranks in pairs.
// Source: Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in
// MPICH, IJHPCA 19, 2005 (recursive halving).
#include "algorithms/folded_exchange.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  return folded_reduce_scatter(
      Folding(group.ranks), DoublingPairs(), group.ranks, group.rank, block_count,
      [&](const Folding& folding, std::int32_t, std::int32_t to, std::int32_t step) {
        const std::int32_t distance = std::int32_t{2} << step;
        return parts_of_every(folding, to & (distance - 1), distance, block_count);
      });
}

// The first group has most parts in every step.
double cost_s(const Problem& problem, Values) {
  const Folding folding(problem.ranks);
  double parts = 0;
  for (std::int32_t step = 2; step <= folding.groups(); step *= 2) {
    for (const BlockSet& set : parts_of_every(folding, 0, step, 1)) parts += set.count;
  }
  return folded_time_s(problem, parts);
}

}  // namespace

extern const Algorithm reduce_scatter_recursive_halving = {
    .id = "reduce_scatter/recursive_halving",
    .summary = "exchange what the other half needs, over doubling distances",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19 (2005)",
    .cost =
        "q alpha + (p - 1) / p beta m for p = 2^q, else up to 2 alpha + (1 + 1 / p) beta m more",
    .collective = Collective::reduce_scatter,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
    // Unless p is a power of two, messages of several sizes get in each other's way.
    .cost_slack = 1.06,
};

}  // namespace anabranch
