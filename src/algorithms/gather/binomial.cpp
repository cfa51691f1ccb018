// The binomial scatter backwards: each rank collects the parts of those below it, then sends them.
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
  Builder builder(group.ranks, group.rank, std::max(ceil_log2(group.ranks), 1),
                  group.rank == 0 ? group.ranks * block_count : 0);
  builder.input(block_count);
  const BlockSet own = blocks(0, block_count, Buffer::input);
  Chunks chunks(group.ranks, group.ranks * block_count);
  chunks.buffer = group.rank == 0 ? Buffer::output : Buffer::scratch;
  const std::int32_t held = scattered_chunks(group.ranks, group.rank);
  const BlockSet mine =
      held == 1 && group.rank > 0 ? own : chunks.range(group.rank, group.rank + held);
  if (mine.buffer == Buffer::scratch) builder.scratch(mine.first + mine.count);
  if (mine.buffer != Buffer::input) {
    builder.copy(0, blocks(mine.first, block_count, mine.buffer), own);
  }
  add_binomial_gather(builder, chunks, group.rank, mine, values[0] == 1);
  return std::move(builder).finish();
}

// Until the first of so many ranks has all their parts.
double collect_s(std::int32_t ranks, double latency_s, double part_s, double part_to_first_s) {
  double end_s = 0;
  for (std::int32_t child = 1; child < ranks; child *= 2) {
    const std::int32_t held = std::min(child, ranks - child);
    const double ready_s = held < child ? collect_s(held, latency_s, part_s, part_s)
                                        : floor_log2(child) * latency_s + (child - 1) * part_s;
    end_s = std::max(end_s, ready_s) + latency_s + held * part_to_first_s;
  }
  return end_s;
}

double cost_s(const Problem& problem, Values values) {
  const double byte_s = problem.network.time_per_byte_s;
  const double part_s = static_cast<double>(problem.part_bytes()) * byte_s;
  return collect_s(problem.ranks,
                   problem.network.start_s(static_cast<double>(problem.part_bytes())),
                   part_s + (values[0] == 1 ? size_field_bytes * byte_s : 0), part_s);
}

}  // namespace

extern const Algorithm gather_binomial = {
    .id = "gather/binomial",
    .summary = "binomial tree: each rank collects parts from below, then passes them on together",
    .source = "paper D, section 4.1",
    .cost = "q alpha + (p - 1) / p beta m",
    .collective = Collective::gather,
    .parameters = parameters,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
