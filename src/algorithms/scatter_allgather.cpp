#include "algorithms/scatter_allgather.hpp"

namespace anabranch {
namespace {

// Calls add(round, part, repeat) for a falling run of chunks within 0 .. high.
template <typename Add>
void add_run(const Chunks& chunks, std::int32_t round, std::int32_t high, std::int32_t count,
             Add add) {
  const std::int32_t full = chunks.blocks / chunks.per_chunk;
  // Chunks behind the last full one: at most one is shorter, the others are empty.
  const std::int32_t beyond = std::clamp(high - full + 1, 0, count);
  if (beyond > 0 && high - beyond + 1 == full) {
    add(round + beyond - 1, chunks.range(full, std::int64_t{full} + 1), Repeat{});
  }
  if (count > beyond) {
    const std::int32_t from = high - beyond;
    add(round + beyond, chunks.range(from, std::int64_t{from} + 1),
        Repeat{.count = count - beyond, .block_step = -chunks.per_chunk});
  }
}

template <typename Add>
void add_ring(const Chunks& chunks, std::int32_t round, std::int32_t first, std::int32_t steps,
              Add add) {
  const std::int32_t before_wrap = std::min(steps, first + 1);
  add_run(chunks, round, first, before_wrap, add);
  add_run(chunks, round + before_wrap, chunks.ranks - 1, steps - before_wrap, add);
}

}  // namespace

void add_binomial_scatter(Builder& builder, const Chunks& chunks, std::int32_t rank) {
  const std::int32_t rounds = ceil_log2(chunks.ranks);
  // Ranks receive at the distance of their lowest one and send at the smaller ones.
  std::int32_t level = rank == 0 ? rounds : floor_log2(rank & -rank);
  if (rank != 0) {
    const std::int64_t distance = std::int64_t{1} << level;
    builder.receive(rounds - 1 - level, static_cast<std::int32_t>(rank - distance),
                    chunks.range(rank, std::min<std::int64_t>(rank + distance, chunks.ranks)));
  }
  while (--level >= 0) {
    const std::int64_t distance = std::int64_t{1} << level;
    const std::int64_t child = rank + distance;
    if (child >= chunks.ranks) continue;
    builder.send(rounds - 1 - level, static_cast<std::int32_t>(child),
                 chunks.range(child, std::min<std::int64_t>(child + distance, chunks.ranks)));
  }
}

void add_ring_sends(Builder& builder, const Chunks& chunks, std::int32_t round, std::int32_t to,
                    std::int32_t first, std::int32_t steps) {
  add_ring(chunks, round, first, steps, [&](std::int32_t at, BlockSet part, Repeat repeat) {
    builder.send(at, to, part, repeat);
  });
}

void add_ring_receives(Builder& builder, const Chunks& chunks, std::int32_t round,
                       std::int32_t from, std::int32_t first, std::int32_t steps) {
  add_ring(chunks, round, first, steps, [&](std::int32_t at, BlockSet part, Repeat repeat) {
    builder.receive(at, from, part, repeat);
  });
}

std::int32_t block_per_rank(const Problem& problem, Values) { return problem.ranks; }

double chunk_time_s(const Problem& problem) {
  const std::int64_t chunk_bytes = (problem.size_bytes + problem.ranks - 1) / problem.ranks;
  return static_cast<double>(chunk_bytes) * problem.network.time_per_byte_s;
}

double binomial_scatter_time_s(const Problem& problem) {
  return ceil_log2(problem.ranks) * problem.network.latency_s +
         (problem.ranks - 1) * chunk_time_s(problem);
}

}  // namespace anabranch
