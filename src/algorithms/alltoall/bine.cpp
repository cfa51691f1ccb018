// Parts hop towards their ranks over a Bine butterfly: one message a round, of about half of them.
//
// When: short messages where ranks with near numbers are near each other in the network. Cost:
// q alpha + h beta m / p for even p, where h is the hops of one rank's parts: q p / 2 for powers of
// two.
// How: on each level the parts hop that have it on their path, first out of the input, last into
// the output, between them through one of two places in scratch memory in turn. An odd p folds the
// first two ranks: the second one hands its parts to the first one, and gets those for it in the
// end. Source: De Sensi et al., Bine Trees, SC '25.
#include <array>
#include <bit>
#include <vector>

#include "algorithms/bine_butterfly.hpp"
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

// Places of parts on a rank that acts for its group.
class Hops {
 public:
  Hops(std::int32_t ranks, std::int32_t block_count)
      : folding_(Folding::to_even(ranks)),
        butterfly_(folding_.groups()),
        ranks_(ranks),
        block_count_(block_count) {
    for (const std::int32_t parity : {0, 1}) {
      for (std::int32_t to = parity; to < folding_.groups(); to += 2) {
        paths_.push_back(butterfly_.path(0, to));
      }
    }
  }

  const Folding& folding() const { return folding_; }
  const BineButterfly& butterfly() const { return butterfly_; }

  BlockSet part(std::int32_t index, Buffer buffer) const { return parts(index, 1, buffer); }
  BlockSet parts(std::int32_t first, std::int32_t count, Buffer buffer) const {
    return blocks(first * block_count_, count * block_count_, buffer);
  }
  // What the second rank of the pair sends to others, and gets from them, in the order of ranks.
  BlockSet handed_over(std::int32_t first, std::int32_t count) const {
    return parts(2 * table_parts() + first, count, Buffer::scratch);
  }
  BlockSet collected(std::int32_t first, std::int32_t count) const {
    return parts(2 * table_parts() + ranks_ + first, count, Buffer::scratch);
  }
  std::int32_t scratch_blocks() const { return (2 * table_parts() + 2 * ranks_) * block_count_; }

  // The parts that hop from the group to its partner: where they are there, or where they arrive.
  std::vector<BlockSet> hopping(std::int32_t group, std::int32_t level, bool arrive) const {
    std::vector<BlockSet> places;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if ((paths_[i] >> (level - 1) & 1) == 0) continue;
      const Way way = way_of(paths_[i], group, level);
      const std::int32_t at = arrive ? butterfly_.partner_of(group, level) : group;
      const std::int32_t done = std::popcount(paths_[i] >> (arrive ? level - 1 : level));
      for (std::int32_t from = folding_.first(way.from); from < folding_.first(way.from + 1);
           ++from) {
        for (std::int32_t to = folding_.first(way.to); to < folding_.first(way.to + 1); ++to) {
          append(places, place({from, to}, way, at, static_cast<std::int32_t>(i), done));
        }
      }
    }
    return places;
  }

 private:
  struct Way {
    std::int32_t from;
    std::int32_t to;
  };

  // The groups between which a path goes that is at the group when it comes to the level.
  Way way_of(std::uint64_t path, std::int32_t group, std::int32_t level) const {
    Way way{group, group};
    for (std::int32_t done = level + 1; done <= butterfly_.levels(); ++done) {
      if ((path >> (done - 1) & 1) != 0) way.from = butterfly_.partner_of(way.from, done);
    }
    for (std::int32_t next = level; next > 0; --next) {
      if ((path >> (next - 1) & 1) != 0) way.to = butterfly_.partner_of(way.to, next);
    }
    return way;
  }

  // A part goes out and another one comes in on the same path in one round: never into one place.
  BlockSet place(const Way& part_way, const Way& way, std::int32_t at, std::int32_t path,
                 std::int32_t done) const {
    const std::int32_t acting = folding_.first(at);
    if (at == way.from) {
      return part_way.from == acting ? part(part_way.to, Buffer::input)
                                     : handed_over(part_way.to, 1);
    }
    if (at == way.to) {
      return part_way.to == acting ? part(part_way.from, Buffer::output)
                                   : collected(part_way.from, 1);
    }
    const std::int32_t of_pair = 2 * (part_way.from - folding_.first(way.from)) + part_way.to -
                                 folding_.first(way.to);
    return part(done % 2 * table_parts() + path * parts_of_path() + of_pair, Buffer::scratch);
  }

  // Between two groups with two ranks each, as if there were two.
  std::int32_t parts_of_path() const { return folding_.pairs() > 0 ? 4 : 1; }
  std::int32_t table_parts() const { return folding_.groups() * parts_of_path(); }

  Folding folding_;
  BineButterfly butterfly_;
  std::int32_t ranks_;
  std::int32_t block_count_;
  std::vector<std::uint64_t> paths_;  // to all groups
};

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const Hops hops(group.ranks, block_count);
  const Folding& folding = hops.folding();
  const std::int32_t last_round = folding.rounds() - 1;
  Builder builder = alltoall_builder(group.ranks, group.rank, folding.rounds(), block_count);
  const std::int32_t others = group.ranks - 2;
  if (!folding.acts(group.rank)) {
    builder.send(0, 0, std::array{hops.part(0, Buffer::input), hops.parts(2, others, Buffer::input)});
    builder.receive(last_round, 0,
                    std::array{hops.part(0, Buffer::output), hops.parts(2, others, Buffer::output)});
    return std::move(builder).finish();
  }
  if (folding.rounds() > 1) builder.scratch(hops.scratch_blocks());
  const bool is_paired = folding.is_paired(group.rank);
  if (is_paired) {
    builder.receive(0, 1, std::array{hops.part(1, Buffer::output), hops.handed_over(2, others)});
  }
  const std::int32_t own = folding.group(group.rank);
  std::int32_t round = folding.pairs();
  for (std::int32_t level = folding.steps(); level > 0; --level, ++round) {
    const std::int32_t partner = hops.butterfly().partner_of(own, level);
    builder.send(round, folding.first(partner), hops.hopping(own, level, false));
    builder.receive(round, folding.first(partner), hops.hopping(partner, level, true));
  }
  if (is_paired) {
    builder.send(last_round, 1, std::array{hops.part(1, Buffer::input), hops.collected(2, others)});
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  const Folding folding = Folding::to_even(problem.ranks);
  const BineButterfly butterfly(folding.groups());
  double hops = 0;
  for (std::int32_t to = 0; to < folding.groups(); ++to) {
    hops += std::popcount(butterfly.path(0, to));
  }
  return parts_time_s(problem, folding.rounds(), hops);
}

}  // namespace

extern const Algorithm alltoall_bine = {
    .id = "alltoall/bine",
    .summary = "parts hop to their ranks over a Bine butterfly, those of a round together",
    .source = "De Sensi et al., Bine Trees, SC '25",
    .cost = "q alpha + h beta m / p, with h the hops of a rank's parts: q p / 2 for powers of two",
    .collective = Collective::alltoall,
    .equal_blocks_only = true,
    .saves_distance = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
