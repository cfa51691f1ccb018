// Allreduces and reduce-scatters by exchanges over doubling distances, for any number of ranks.
#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/folding.hpp"
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

// Which groups exchange in a step: twice as far away in each.
struct DoublingPairs {
  std::int32_t partner_of(std::int32_t group, std::int32_t step) const {
    return group ^ (std::int32_t{1} << step);
  }
  // Whether the group's operands come before its partner's in what both then have.
  bool comes_first(std::int32_t group, std::int32_t step) const {
    return group < partner_of(group, step);
  }
};

// `held`: where ranks combine what they have, scratch or all of the output. Of it,
// sent(folding, from, to, step) says which blocks one group hands to another in a step, and
// result(rank) which are the rank's own in the end. Operands keep their order by DoublingPairs.
template <typename Pairs, typename Sent, typename Result>
Schedule folded_exchange(const Folding& folding, const Pairs& pairs, std::int32_t ranks,
                         std::int32_t rank, std::int32_t output_blocks, BlockSet held, Sent sent,
                         Result result) {
  const std::int32_t fold = folding.pairs() > 0 ? 1 : 0;
  const std::int32_t rounds = std::max(folding.rounds(), 1);
  Builder builder(ranks, rank, rounds, output_blocks);
  const BlockSet all = blocks(0, held.count, Buffer::input);
  builder.input(all.count);
  if (!folding.acts(rank)) {
    builder.send(0, rank - 1, all);
    builder.receive(rounds - 1, rank - 1, blocks(0, output_blocks));
    return std::move(builder).finish();
  }
  builder.copy(0, held, all);
  if (folding.is_paired(rank)) builder.reduce(0, rank + 1, held, OperandOrder::mine_first);
  const std::int32_t group = folding.group(rank);
  for (std::int32_t step = 0; step < folding.steps(); ++step) {
    const std::int32_t partner = pairs.partner_of(group, step);
    const std::int32_t peer = folding.first(partner);
    builder.send(fold + step, peer, sent(folding, group, partner, step));
    builder.reduce(
        fold + step, peer, sent(folding, partner, group, step),
        pairs.comes_first(group, step) ? OperandOrder::mine_first : OperandOrder::theirs_first);
  }
  if (held.buffer == Buffer::scratch) {
    builder.scratch(held.count);
    builder.copy(rounds - 1, blocks(0, output_blocks), result(rank));
  }
  if (folding.is_paired(rank)) builder.send(rounds - 1, rank + 1, result(rank + 1));
  return std::move(builder).finish();
}

// The parts of all ranks are held in scratch, and each rank keeps its own.
template <typename Pairs, typename Sent>
Schedule folded_reduce_scatter(const Folding& folding, const Pairs& pairs, std::int32_t ranks,
                               std::int32_t rank, std::int32_t block_count, Sent sent) {
  const BlockSet parts = blocks(0, ranks * block_count, Buffer::scratch);
  return folded_exchange(
      folding, pairs, ranks, rank, block_count, parts, sent,
      [&](std::int32_t of) { return blocks(of * block_count, block_count, Buffer::scratch); });
}

// The parts of every `step`-th group from `group` on, held in scratch.
inline std::vector<BlockSet> parts_of_every(const Folding& folding, std::int32_t group,
                                            std::int32_t step, std::int32_t block_count) {
  const std::int32_t pairs = folding.pairs();
  std::vector<BlockSet> sets;
  if (block_count > 1) {
    for (; group < folding.groups(); group += step) {
      sets.push_back(blocks(folding.first(group) * block_count,
                            folding.size(group, group + 1) * block_count, Buffer::scratch));
    }
    return sets;
  }
  const std::int32_t paired = group < pairs ? (pairs - 1 - group) / step + 1 : 0;
  sets.push_back({2 * group, paired, 2 * step, Buffer::scratch});
  sets.push_back({2 * group + 1, paired, 2 * step, Buffer::scratch});
  const std::int32_t single = group + paired * step;
  const std::int32_t singles =
      single < folding.groups() ? (folding.groups() - 1 - single) / step + 1 : 0;
  sets.push_back({single + pairs, singles, step, Buffer::scratch});
  return sets;
}

// Time of the exchanges, which carry `parts` parts in all, and of what pairs send each other before
// and after, s.
inline double folded_time_s(const Problem& problem, double parts) {
  const Folding folding(problem.ranks);
  const double folded_parts = folding.pairs() > 0 ? problem.ranks + 1 : 0;
  return parts_time_s(problem, folding.rounds(), parts + folded_parts);
}

}  // namespace anabranch
