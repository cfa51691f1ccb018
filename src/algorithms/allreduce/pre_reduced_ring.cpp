// A ring in which the early ranks combine most parts before the last rank comes.
//
// When: a baseline for ranks that arrive at times which somebody predicted: they are sorted as they
// came to an earlier call, where the order of operands makes no difference, and else by their
// numbers. In a plain ring the port before the last rank carries nearly all parts twice after the
// last arrival. Here parts begin up to `steps` ranks earlier, and each step saves that port one
// part. With all steps only the last rank's own part goes around twice then: in short segments
// (1 + 1 / p) beta m. Cost: (2 p n + p - 4)(alpha + beta m / (p n)) where p >= 4 ranks arrive
// together. How: part i begins at rank i - steps, or at rank 0; the last one at the last rank. Each
// visits all ranks, growing, and then once more, complete. Source: Proficz, Improving all-reduce
// collective operations for imbalanced process arrival patterns, J. Supercomputing 74 (2018). We
// know the abstract alone: where parts begin is after a simulator that others wrote
// (github.com/wswin5k/allreduce_pap_sim); segments, rounds and the price are ours.
#include <algorithm>

#include "algorithms/parts.hpp"
#include "algorithms/scatter_allgather.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

// Where the last rank is late, all others have the time to combine as much as they can.
std::int64_t most_steps(const Problem& problem) {
  return std::max<std::int64_t>(problem.ranks - 2, 0);
}

constexpr Parameter parameters[] = {
    part_segment(best_part_segment_bytes),
    {.name = "steps",
     .summary =
         "parts that rank 0 passes on before the last rank is needed; at most p - 2, as by default",
     .minimum = 0,
     .maximum = INT32_MAX,
     .default_value = most_steps}};

// Which part a rank passes on when: in turn all of them, and then once more.
struct Ring {
  std::int32_t ranks;
  std::int32_t steps;
  std::int32_t per_part;  // blocks

  std::int32_t modulo(std::int32_t number) const { return (number % ranks + ranks) % ranks; }
  bool is_last(std::int32_t rank) const { return rank == ranks - 1; }

  std::int32_t first_rank(std::int32_t part) const {
    return is_last(part) ? part : std::max(part - steps, 0);
  }
  // By how many parts the first one that a rank passes on is ahead of that of its number.
  std::int32_t ahead(std::int32_t rank) const {
    return is_last(rank) ? 0 : std::min(steps, ranks - 2 - rank);
  }
  // A rank that is as far ahead as its neighbour gets a part one turn before it passes that on.
  // One that is less far ahead has the same turn, and passes blocks on as they come.
  std::int32_t first_round(std::int32_t rank) const {
    return is_last(rank) ? std::max(steps + 1 - per_part, 0) : steps - ahead(rank);
  }
  // After how many hops the rank first has the part.
  std::int32_t first_hop(std::int32_t rank, std::int32_t part) const {
    return modulo(rank - first_rank(part));
  }
  // In which the rank sends the part on, after so many hops.
  std::int32_t round(std::int32_t rank, std::int32_t part, std::int32_t hop) const {
    const std::int32_t turn = modulo(rank + ahead(rank) - part) + hop / ranks * ranks;
    return first_round(rank) + turn * per_part;
  }
  // With two steps or more rank 0 sends all parts twice, and some ranks pass the last block on.
  std::int32_t rounds() const {
    if (ranks < 2) return 0;
    return 2 * (ranks - 1) * per_part + std::min(steps, 2) * per_part + std::max(steps - 2, 0);
  }
};

Ring ring_of(std::int32_t ranks, std::int32_t per_part, Values values) {
  const std::int64_t most = std::max(ranks - 2, 0);
  return {ranks, static_cast<std::int32_t>(std::min(values[1], most)), per_part};
}

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const auto [ranks, rank] = std::pair(group.ranks, group.rank);
  const Chunks chunks(ranks, block_count);
  const Ring ring = ring_of(ranks, chunks.per_chunk, values);
  Builder builder(ranks, rank, std::max(ring.rounds(), 1), block_count);
  builder.input(block_count);
  if (ranks == 1) builder.copy(0, blocks(0, block_count), blocks(0, block_count, Buffer::input));
  builder.reserve(5 * static_cast<std::size_t>(ranks));
  const std::int32_t left = ring.modulo(rank - 1), right = ring.modulo(rank + 1);
  const std::int32_t hops = 2 * (ranks - 1);  // of each part
  for (std::int32_t part = 0; part < ranks; ++part) {
    const BlockSet all = chunks.range(part, part + 1);
    if (all.count == 0) continue;
    const BlockSet given = blocks(all.first, all.count, Buffer::input);
    const Repeat each = one_by_one(all.count);
    for (std::int32_t hop = ring.first_hop(rank, part); hop <= hops; hop += ranks) {
      if (hop > 0) {
        const std::int32_t round = ring.round(left, part, hop - 1);
        if (hop < ranks) {
          builder.copy(round, all, given);
          builder.reduce(round, left, block(all.first), OperandOrder::theirs_first, each);
        } else {
          builder.receive(round, left, block(all.first), each);
        }
      }
      if (hop < hops) {
        const Buffer from = hop == 0 ? Buffer::input : Buffer::output;
        builder.send(ring.round(rank, part, hop), right, block(all.first, from), each);
      }
    }
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  const std::int32_t block_count = segmented_blocks_of_parts(problem, values);
  const Ring ring = ring_of(problem.ranks, block_count / problem.ranks, values);
  return rounds_time_s(problem, ring.rounds(), block_count);
}

}  // namespace

extern const Algorithm allreduce_pre_reduced_ring = {
    .id = "allreduce/pre_reduced_ring",
    .summary = "a ring in which early ranks combine most parts before the last rank comes",
    .source = "Proficz, J. Supercomputing 74 (2018), ranks sorted as they came before",
    .cost = "(2 p n + p - 4)(alpha + beta m / (p n))",
    .collective = Collective::allreduce,
    .parameters = parameters,
    .commutative_only = true,
    .uses_ports_in_turn_in_blocks = true,
    .for_sorted_ranks = true,
    .for_comparison = true,
    .blocks = segmented_blocks_of_parts,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
