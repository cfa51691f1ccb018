// An allgather of everything by recursive doubling, of which each rank keeps what is for it.
//
// When: very short messages; Bruck's takes as few rounds and moves less. Cost: q alpha + (p - 1)
// beta m for powers of two; else up to twice the rounds (algorithms/doubling.hpp).
// How: rank s's message is row s of a table in scratch memory; in the end a column of it is copied.
// Source: paper D, section 4.5.
#include "algorithms/doubling.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

// Of which the table's blocks can be counted.
constexpr std::int32_t max_ranks = 1 << 14;

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const std::int32_t row = group.ranks * block_count;
  const std::int32_t rounds = recursive_doubling_rounds(group.ranks);
  Builder builder(group.ranks, group.rank, std::max(rounds, 1), row);
  builder.input(row).scratch(group.ranks * row);
  Chunks chunks(group.ranks, group.ranks * row);
  chunks.buffer = Buffer::scratch;
  builder.copy(0, chunks.range(group.rank, group.rank + 1), blocks(0, row, Buffer::input));
  add_exchanges(builder, chunks, 0, group.rank, recursive_doubling(group.ranks, group.rank),
                own_chunk);
  for (std::int32_t i = 0; i < block_count; ++i) {
    builder.copy(std::max(rounds, 1) - 1, {i, group.ranks, block_count},
                 {group.rank * block_count + i, group.ranks, row, Buffer::scratch});
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  return recursive_doubling_time_s(
      problem, static_cast<double>(problem.part_bytes()) * static_cast<double>(problem.ranks));
}

}  // namespace

extern const Algorithm alltoall_recursive_doubling = {
    .id = "alltoall/recursive_doubling",
    .summary = "everybody gets everything by recursive doubling, and keeps what is for it",
    .source = "paper D, section 4.5",
    .cost = "q alpha + (p - 1) beta m for powers of two; else up to twice the rounds",
    .collective = Collective::alltoall,
    .maximum_ranks = max_ranks,
    .equal_blocks_only = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
    // Unless p is a power of two, long messages of later rounds can keep short ones waiting.
    .cost_slack = 2,
};

}  // namespace anabranch
