// Half of the message passes down each side of a binary tree; then pairs of ranks, one of each
// side, exchange their halves.
//
// When: medium messages; each message has half the length of those of bcast/binary without
// segments. Cost: (d + 1)(alpha + beta m / 2), where d < 2 q is the depth of the tree in rounds.
// How: below the root, odd ranks are on the first side, even ones on the second: the binary digits
// of rank + 1, from the last one on, are the path. On an even number of ranks the last one gets its
// other half from the root. Source: "split_binary_tree" in Open MPI, coll/base.
#include <bit>

#include "algorithms/binary_tree.hpp"
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

std::int32_t rounds_of(std::int32_t ranks) { return ranks == 1 ? 0 : fill_rounds(ranks) + 1; }

// Of the ranks of a level, that of the first one is a power of two less 1.
std::int32_t ranks_of_level(std::int32_t rank) {
  return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(rank) + 1));
}

std::int32_t parent_of(std::int32_t rank) {
  const std::int32_t above = ranks_of_level(rank) / 2;
  return rank - above < 2 * above - 1 ? rank - above : rank - 2 * above;
}

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const auto [ranks, rank] = std::pair(group.ranks, group.rank);
  Builder builder(ranks, rank, rounds_of(ranks), block_count);
  if (ranks == 1) return std::move(builder).finish();
  builder.reserve(5);
  const std::int32_t first_blocks = (block_count + 1) / 2;
  const auto half = [&](std::int32_t of) {
    return of % 2 == 1 ? blocks(0, first_blocks) : blocks(first_blocks, block_count - first_blocks);
  };
  const std::int32_t received = rounds_to_first_block(rank);
  if (rank > 0) builder.receive(received - 1, parent_of(rank), half(rank));
  for (std::int32_t child = 0; child < 2; ++child) {
    const std::int64_t peer = rank + (std::int64_t{1} + child) * ranks_of_level(rank);
    if (peer >= ranks) break;
    const auto to = static_cast<std::int32_t>(peer);
    builder.send(received + child, to, half(to));
  }
  const std::int32_t last = rounds_of(ranks) - 1;
  const bool lacks_a_pair = ranks % 2 == 0;
  if (rank > 0) {
    const std::int32_t pair = rank % 2 == 1 ? rank + 1 : rank - 1;
    if (pair < ranks) builder.send(last, pair, half(rank));
    builder.receive(last, pair < ranks ? pair : 0, half(rank + 1));
  } else if (lacks_a_pair) {
    builder.send(last, ranks - 1, half(ranks));
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  return rounds_time_s(problem, rounds_of(problem.ranks), 2);
}

}  // namespace

extern const Algorithm bcast_split_binary = {
    .id = "bcast/split_binary",
    .summary = "half of the message down each side of a binary tree, then exchanged in pairs",
    .source = "\"split_binary_tree\" in Open MPI",
    .cost = "(d + 1)(alpha + beta m / 2), d < 2 q the rounds down the tree",
    .collective = Collective::bcast,
    .for_comparison = true,
    .blocks = two_blocks,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
