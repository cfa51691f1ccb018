// Bine butterfly: ranks exchange what the other half needs, neighbours first.
//
// When: medium and long vectors where ranks with near numbers are near each other in the network:
// the longest messages go to neighbours. The MPI_Op commutes. Cost: q alpha + (p - 1) / p beta m
// for even p.
// How: the allgather over a Bine butterfly backwards, where a rank combines what it would send. An
// odd p folds the first two ranks: 2 alpha and (1 + 1 / p) beta m more, about.
// Source: De Sensi et al., Bine Trees, SC '25.
#include "algorithms/bine_butterfly.hpp"
#include "algorithms/folded_exchange.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const Folding even = Folding::to_even(group.ranks);
  const BinePairs pairs{BineButterfly(even.groups())};
  Chunks chunks(group.ranks, group.ranks * block_count);
  chunks.buffer = Buffer::scratch;
  return folded_reduce_scatter(
      even, pairs, group.ranks, group.rank, block_count,
      [&](const Folding& folding, std::int32_t from, std::int32_t, std::int32_t step) {
        return bine_chunks(chunks, folding, pairs.butterfly, from, pairs.level(step));
      });
}

double cost_s(const Problem& problem, Values) { return bine_reduce_scatter_time_s(problem); }

}  // namespace

extern const Algorithm reduce_scatter_bine = {
    .id = "reduce_scatter/bine",
    .summary = "Bine butterfly: pairs exchange what the other half needs, neighbours first",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "q alpha + (p - 1) / p beta m for even p, else about 2 alpha + beta m more",
    .collective = Collective::reduce_scatter,
    .commutative_only = true,
    .saves_distance = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
    // Unless p is even, messages of several sizes get in each other's way.
    .cost_slack = 1.6,
};

}  // namespace anabranch
