// Reduce-scatters by exchanges over doubling distances, for any number of ranks.
#pragma once

#include <algorithm>

#include "algorithms/folding.hpp"
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

// The parts of all ranks are held in scratch; sent(folding, from, to, step) says which blocks of it
// one group hands to another, twice as far away in each step. Operands keep their order.
template <typename Sent>
Schedule folded_reduce_scatter(std::int32_t ranks, std::int32_t rank, std::int32_t block_count,
                               Sent sent) {
  const Folding folding(ranks);
  const std::int32_t fold = folding.pairs() > 0 ? 1 : 0;
  const std::int32_t rounds = std::max(folding.steps() + 2 * fold, 1);
  Builder builder(ranks, rank, rounds, block_count);
  const BlockSet all = blocks(0, ranks * block_count, Buffer::input);
  const auto part = [&](std::int32_t of) {
    return blocks(of * block_count, block_count, Buffer::scratch);
  };
  builder.input(all.count);
  if (!folding.acts(rank)) {
    builder.send(0, rank - 1, all);
    builder.receive(rounds - 1, rank - 1, blocks(0, block_count));
    return std::move(builder).finish();
  }
  const BlockSet held = blocks(0, all.count, Buffer::scratch);
  builder.scratch(held.count);
  builder.copy(0, held, all);
  if (folding.is_paired(rank)) builder.reduce(0, rank + 1, held, OperandOrder::mine_first);
  const std::int32_t group = folding.group(rank);
  for (std::int32_t step = 0; step < folding.steps(); ++step) {
    const std::int32_t partner = group ^ (std::int32_t{1} << step);
    const std::int32_t peer = folding.first(partner);
    builder.send(fold + step, peer, sent(folding, group, partner, step));
    builder.reduce(fold + step, peer, sent(folding, partner, group, step),
                   group < partner ? OperandOrder::mine_first : OperandOrder::theirs_first);
  }
  builder.copy(rounds - 1, blocks(0, block_count), part(rank));
  if (folding.is_paired(rank)) builder.send(rounds - 1, rank + 1, part(rank + 1));
  return std::move(builder).finish();
}

// Time of the exchanges, which carry `parts` parts in all, and of what pairs send each other before
// and after, s.
inline double folded_time_s(const Problem& problem, double parts) {
  const Folding folding(problem.ranks);
  if (folding.pairs() == 0) return parts_time_s(problem, folding.steps(), parts);
  return parts_time_s(problem, folding.steps() + 2, parts + problem.ranks + 1);
}

}  // namespace anabranch
