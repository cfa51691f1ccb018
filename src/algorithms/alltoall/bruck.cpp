// Parts hop towards their ranks over distances 1, 2, 4, ..: one message a round, of half the parts.
//
// When: short messages, where the number of rounds counts. Cost: q alpha + h beta m / p, where h is
// the number of bits set in 1 .. p - 1 (q p / 2 for powers of two).
// How: the part for the rank j ahead hops in round k if bit k of j is set: first out of the input,
// last into the output, between them through one of two places in scratch memory in turn.
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8 (11), 1997.
#include <algorithm>
#include <bit>
#include <vector>

#include "algorithms/logarithm.hpp"
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

// Places of parts on one rank. A part is named by how far it travels.
class Hops {
 public:
  Hops(std::int32_t ranks, std::int32_t rank, std::int32_t block_count)
      : ranks_(ranks), rank_(rank), block_count_(block_count) {}

  BlockSet before(std::int32_t distance, std::int32_t round) const {
    const std::int32_t done = distance & ((1 << round) - 1);
    return done == 0 ? part((rank_ + distance) % ranks_, Buffer::input) : scratch(distance, done);
  }
  BlockSet after(std::int32_t distance, std::int32_t round) const {
    const std::int32_t done = distance & ((2 << round) - 1);
    return done == distance ? part((rank_ - distance + ranks_) % ranks_, Buffer::output)
                            : scratch(distance, done);
  }

 private:
  BlockSet part(std::int32_t index, Buffer buffer) const {
    return blocks(index * block_count_, block_count_, buffer);
  }
  // A part goes out and another one comes in under its name in one round: never into one place.
  BlockSet scratch(std::int32_t distance, std::int32_t done) const {
    const bool second = std::popcount(static_cast<std::uint32_t>(done)) % 2 == 0;
    return part(second ? ranks_ + distance : distance, Buffer::scratch);
  }

  std::int32_t ranks_;
  std::int32_t rank_;
  std::int32_t block_count_;
};

// Sets of blocks that lie one behind the other become one.
void add(std::vector<BlockSet>& block_sets, const BlockSet& next) {
  if (!block_sets.empty()) {
    BlockSet& last = block_sets.back();
    if (last.buffer == next.buffer && last.first + last.count == next.first) {
      last.count += next.count;
      return;
    }
  }
  block_sets.push_back(next);
}

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const std::int32_t rounds = ceil_log2(group.ranks);
  Builder builder = alltoall_builder(group.ranks, group.rank, rounds, block_count);
  if (group.ranks > 3) builder.scratch(2 * group.ranks * block_count);
  const Hops hops(group.ranks, group.rank, block_count);
  for (std::int32_t round = 0; round < rounds; ++round) {
    const std::int32_t hop = std::int32_t{1} << round;
    std::vector<BlockSet> out;
    std::vector<BlockSet> in;
    for (std::int32_t distance = hop; distance < group.ranks; ++distance) {
      if ((distance & hop) == 0) continue;
      add(out, hops.before(distance, round));
      add(in, hops.after(distance, round));
    }
    builder.send(round, (group.rank + hop) % group.ranks, out);
    builder.receive(round, (group.rank - hop + group.ranks) % group.ranks, in);
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  double hops = 0;
  for (std::int64_t hop = 1; hop < problem.ranks; hop *= 2) {
    const std::int64_t rest = problem.ranks % (2 * hop);
    hops += static_cast<double>(problem.ranks / (2 * hop) * hop +
                                std::max<std::int64_t>(rest - hop, 0));
  }
  return parts_time_s(problem, ceil_log2(problem.ranks), hops);
}

// About as much travels in each round.
double share_between_nodes(const Problem& problem) {
  if (problem.ranks == 1) return 1;
  double share = 0;
  for (std::int64_t hop = 1; hop < problem.ranks; hop *= 2) {
    const auto distance = static_cast<double>(std::min(hop, problem.ranks - hop));
    share += std::min(1.0, distance / problem.nodes.largest);
  }
  return share / ceil_log2(problem.ranks);
}

}  // namespace

extern const Algorithm alltoall_bruck = {
    .id = "alltoall/bruck",
    .summary = "parts hop to their ranks over distances 1, 2, 4, .., those of a round together",
    .source = "Bruck et al., IEEE TPDS 8 (11), 1997",
    .cost = "q alpha + h beta m / p, with h the bits set in 1 .. p - 1: q p / 2 for powers of two",
    .collective = Collective::alltoall,
    .equal_blocks_only = true,
    .share_between_nodes = share_between_nodes,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
