// Binomial tree: in each round every rank that has the message sends it to one that has not.
//
// When: short messages, where the number of rounds is what counts. Cost: q(alpha + beta m).
// Source: paper D, section 4.3 ("MST"), and paper C halve the distance each round; paper A doubles
// it.
#include "algorithms/logarithm.hpp"
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {{
    .name = "halving",
    .summary = "1: the distance halves each round (papers C, D); 0: it doubles (paper A)",
    .minimum = 0,
    .maximum = 1,
    .default_value = [](const Problem&) -> std::int64_t { return 1; },
}};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const std::int32_t rounds = ceil_log2(group.ranks);
  const bool halving = values[0] == 1;
  const BlockSet message = blocks(0, block_count);
  Builder builder(group.ranks, group.rank, rounds, block_count);
  builder.reserve(static_cast<std::size_t>(rounds));
  bool has_message = group.rank == 0;
  for (std::int32_t round = 0; round < rounds; ++round) {
    const std::int32_t distance = std::int32_t{1} << (halving ? rounds - 1 - round : round);
    if (has_message) {
      if (group.rank >= group.ranks - distance) continue;
      builder.send(round, group.rank + distance, message);
      // Others wait for what the peer passes on.
      if (round + 1 < rounds) builder.go_alone();
    } else if (halving ? (group.rank & -group.rank) == distance
                       : group.rank - distance < distance) {
      builder.receive(round, group.rank - distance, message);
      has_message = true;
    }
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  return rounds_time_s(problem, ceil_log2(problem.ranks), 1);
}

}  // namespace

extern const Algorithm bcast_binomial = {
    .id = "bcast/binomial",
    .summary = "binomial tree: those who have the message double each round",
    .source = "paper D, section 4.3; paper A, section 3.3",
    .cost = "q (alpha + beta m)",
    .collective = Collective::bcast,
    .parameters = parameters,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
