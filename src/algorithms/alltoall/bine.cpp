// Parts hop towards their ranks over a Bine butterfly: one message a round, of about half of them.
//
// When: short messages where ranks with near numbers are near each other in the network. Cost:
// q alpha + h beta m / p for even p, where h is the hops of one rank's parts: q p / 2 for powers of
// two.
// How: on each level the parts hop that have it on their path, first out of the input, last into
// the output, between them through one of two places in scratch memory in turn. An odd p is left to
// alltoall/bruck: a rank that acts for two would carry their parts twice, and messages between
// others wait for it. Source: De Sensi et al., Bine Trees, SC '25.
#include <bit>
#include <vector>

#include "algorithms/bine_butterfly.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/instantiate.hpp"
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

bool has_butterfly(std::int32_t ranks) { return ranks == 1 || ranks % 2 == 0; }

// Places of parts on a rank. There is one part on each path when the rank comes to a level.
class Hops {
 public:
  Hops(const BineButterfly& butterfly, std::int32_t ranks, std::int32_t block_count)
      : butterfly_(butterfly), ranks_(ranks), block_count_(block_count) {}

  // Of the parts that hop from the rank to its partner: where they are, or where they arrive there.
  std::vector<BlockSet> leaving(std::int32_t rank, std::int32_t level) const {
    return places(rank, level, rank, level);
  }
  std::vector<BlockSet> arriving(std::int32_t rank, std::int32_t level) const {
    return places(rank, level, butterfly_.partner_of(rank, level), level - 1);
  }

 private:
  // On the rank `at`, with the hops above `done_level` done.
  std::vector<BlockSet> places(std::int32_t rank, std::int32_t level, std::int32_t at,
                               std::int32_t done_level) const {
    std::vector<BlockSet> sets;
    for (const std::int32_t parity : {0, 1}) {
      for (std::int32_t name = parity; name < ranks_; name += 2) {
        const std::uint64_t path = butterfly_.path(0, name);
        if (!has(path, level)) continue;
        const std::int32_t from = begin_of(path, rank, level);
        const std::int32_t to = end_of(path, rank, level);
        // A part goes out and another one comes in on one path in one round: never into one place.
        const bool second = std::popcount(path >> done_level) % 2 == 0;
        append(sets, at == from ? part(to, Buffer::input)
                     : at == to ? part(from, Buffer::output)
                                : part(second ? ranks_ + name : name, Buffer::scratch));
      }
    }
    return sets;
  }

  // Of a path that is at the rank when it comes to the level.
  std::int32_t begin_of(std::uint64_t path, std::int32_t rank, std::int32_t level) const {
    for (++level; level <= butterfly_.levels(); ++level) {
      if (has(path, level)) rank = butterfly_.partner_of(rank, level);
    }
    return rank;
  }
  std::int32_t end_of(std::uint64_t path, std::int32_t rank, std::int32_t level) const {
    for (; level > 0; --level) {
      if (has(path, level)) rank = butterfly_.partner_of(rank, level);
    }
    return rank;
  }
  static bool has(std::uint64_t path, std::int32_t level) { return (path >> (level - 1) & 1) != 0; }

  BlockSet part(std::int32_t index, Buffer buffer) const {
    return blocks(index * block_count_, block_count_, buffer);
  }

  BineButterfly butterfly_;
  std::int32_t ranks_;
  std::int32_t block_count_;
};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  if (!has_butterfly(group.ranks)) {
    return make_schedule(alltoall_bruck, group, block_count, values);
  }
  const BineButterfly butterfly(group.ranks);
  const Hops hops(butterfly, group.ranks, block_count);
  Builder builder = alltoall_builder(group.ranks, group.rank, butterfly.levels(), block_count);
  if (group.ranks > 2) builder.scratch(2 * group.ranks * block_count);
  for (std::int32_t level = butterfly.levels(); level > 0; --level) {
    const std::int32_t round = butterfly.levels() - level;
    const std::int32_t partner = butterfly.partner_of(group.rank, level);
    builder.send(round, partner, hops.leaving(group.rank, level));
    builder.receive(round, partner, hops.arriving(partner, level));
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  if (!has_butterfly(problem.ranks)) return alltoall_bruck.cost_s(problem, values);
  const BineButterfly butterfly(problem.ranks);
  double hops = 0;
  for (std::int32_t end = 0; end < problem.ranks; ++end) {
    hops += std::popcount(butterfly.path(0, end));
  }
  return parts_time_s(problem, butterfly.levels(), hops);
}

// Its distances are a little shorter. On fat trees, simulated, that gains nothing.
double share_between_nodes(const Problem& problem) {
  return alltoall_bruck.share_between_nodes(problem);
}

}  // namespace

extern const Algorithm alltoall_bine = {
    .id = "alltoall/bine",
    .summary = "parts hop to their ranks over a Bine butterfly; as alltoall/bruck on odd counts",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "q alpha + h beta m / p, with h the hops of a rank's parts: q p / 2 for powers of two",
    .collective = Collective::alltoall,
    .equal_blocks_only = true,
    .share_between_nodes = share_between_nodes,
    .saves_distance = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
