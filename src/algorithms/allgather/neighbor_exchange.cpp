// Each rank exchanges with its two neighbours in turn what it received last: two parts, first one.
//
// When: long messages where neighbours in the ring are near each other; half the messages of a
// ring. On an odd number of ranks it is the ring, as in Open MPI. Cost: p / 2 alpha + (p - 1) / p
// beta m. Source: Chen, Zhang, Zhang, Yuan, Performance evaluation of allgather algorithms on
// terascale Linux cluster with Fast Ethernet, HPC-Asia 2005; "neighbor" in Open MPI.
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

std::int32_t rounds_of(std::int32_t ranks) { return ranks % 2 == 0 ? ranks / 2 : ranks - 1; }

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const auto [ranks, rank] = std::pair(group.ranks, group.rank);
  if (ranks % 2 == 1) return Component{allgather_ring}.generate(group, block_count);
  Builder builder = allgather_builder(ranks, rank, rounds_of(ranks), block_count);
  builder.reserve(2 * static_cast<std::size_t>(ranks));
  const std::int32_t towards = rank % 2 == 0 ? 1 : ranks - 1;
  const auto peer_in = [&](std::int32_t round) {
    return (rank + (round % 2 == 0 ? towards : ranks - towards)) % ranks;
  };
  // Two parts, from that of an even rank on.
  const auto pair = [&](std::int32_t first) {
    return blocks(first * block_count, 2 * block_count);
  };
  builder.send(0, peer_in(0), blocks(rank * block_count, block_count));
  builder.receive(0, peer_in(0), blocks(peer_in(0) * block_count, block_count));
  std::int32_t newest = rank - rank % 2;
  for (std::int32_t round = 1; round < rounds_of(ranks); ++round) {
    // The neighbour holds the pairs on its side, of which it received the furthest last.
    const std::int32_t pairs_away = (round + 1) / 2;
    const std::int32_t side = peer_in(round) == (rank + 1) % ranks ? 1 : -1;
    const std::int32_t arriving = (rank - rank % 2 + side * 2 * pairs_away + 2 * ranks) % ranks;
    builder.send(round, peer_in(round), pair(newest));
    builder.receive(round, peer_in(round), pair(arriving));
    newest = arriving;
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  return parts_time_s(problem, rounds_of(problem.ranks), problem.ranks - 1);
}

}  // namespace

extern const Algorithm allgather_neighbor_exchange = {
    .id = "allgather/neighbor_exchange",
    .summary = "each rank exchanges with its two neighbours in turn what it received last",
    .source = "Chen, Zhang, Zhang, Yuan, HPC-Asia 2005; \"neighbor\" in Open MPI",
    .cost = "p / 2 alpha + (p - 1) / p beta m for even p, else (p - 1) alpha + ..",
    .collective = Collective::allgather,
    .for_comparison = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
