// The root sends half of the ranks' parts to one rank, a quarter to another, ..; each goes on so.
//
// When: short parts; long ones too, as the root's port carries nothing twice. Inner ranks hold
// parts of others: at most p / 2. Cost: q alpha + (p - 1) / p beta m.
// Where ranks know their own part's size only, messages to inner ranks carry the sizes along: the
// question that paper D leaves open in section 4.1.2. Source: paper D, section 4.1.
#include "algorithms/parts.hpp"
#include "algorithms/scatter_allgather.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {sizes_parameter};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  Builder builder(group.ranks, group.rank, std::max(ceil_log2(group.ranks), 1), block_count);
  const BlockSet own = blocks(0, block_count);
  Chunks chunks(group.ranks, group.ranks * block_count);
  chunks.buffer = group.rank == 0 ? Buffer::input : Buffer::scratch;
  const std::int32_t held = scattered_chunks(group.ranks, group.rank);
  const BlockSet mine =
      held == 1 && group.rank > 0 ? own : chunks.range(group.rank, group.rank + held);
  if (group.rank == 0) builder.input(group.ranks * block_count);
  if (mine.buffer == Buffer::scratch) builder.scratch(mine.first + mine.count);
  add_binomial_scatter(builder, chunks, group.rank, mine, values[0] == 1);
  if (mine.buffer != Buffer::output) {
    builder.copy(group.rank == 0 ? 0 : scatter_round(group.ranks, group.rank), own,
                 blocks(mine.first, block_count, mine.buffer));
  }
  return std::move(builder).finish();
}

// Of a subtree of so many ranks, from when its first rank has all its parts.
double spread_s(std::int32_t ranks, double latency_s, double part_s, double size_s) {
  double sent_s = 0;
  double end_s = 0;
  for (std::int32_t level = ceil_log2(ranks) - 1; level >= 0; --level) {
    const std::int32_t child = std::int32_t{1} << level;
    const std::int32_t held = std::min(child, ranks - child);
    sent_s += latency_s + held * (part_s + (held > 1 ? size_s : 0));
    // A whole subtree is done with the one that it came from.
    if (held < child) end_s = std::max(end_s, sent_s + spread_s(held, latency_s, part_s, size_s));
  }
  return std::max(sent_s, end_s);
}

double cost_s(const Problem& problem, Values values) {
  const double byte_s = problem.network.time_per_byte_s;
  return spread_s(problem.ranks, problem.network.start_s(static_cast<double>(problem.part_bytes())),
                  static_cast<double>(problem.part_bytes()) * byte_s,
                  values[0] == 1 ? size_field_bytes * byte_s : 0);
}

}  // namespace

extern const Algorithm scatter_binomial = {
    .id = "scatter/binomial",
    .summary = "binomial tree: each rank that has parts of others passes half of them on",
    .source = "paper D, section 4.1",
    .cost = "q alpha + (p - 1) / p beta m",
    .collective = Collective::scatter,
    .parameters = parameters,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
