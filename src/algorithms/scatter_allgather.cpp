#include "algorithms/scatter_allgather.hpp"

namespace anabranch {
namespace {

// Calls add(round, set, repeat) for a falling run of chunks within 0 .. high.
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

// In the binomial tree ranks are below the one without their lowest bit.
std::int32_t parent_of(std::int32_t rank) { return rank & (rank - 1); }

// Calls visit(child), the child with the most chunks first.
template <typename Visit>
void for_each_child(std::int32_t ranks, std::int32_t rank, Visit visit) {
  std::int32_t level = rank == 0 ? ceil_log2(ranks) : floor_log2(rank & -rank);
  while (--level >= 0) {
    const std::int64_t child = rank + (std::int64_t{1} << level);
    if (child < ranks) visit(static_cast<std::int32_t>(child));
  }
}

template <typename Add>
void add_ring(const Chunks& chunks, std::int32_t round, std::int32_t first, std::int32_t steps,
              Add add) {
  const std::int32_t before_wrap = std::min(steps, first + 1);
  add_run(chunks, round, first, before_wrap, add);
  add_run(chunks, round + before_wrap, chunks.ranks - 1, steps - before_wrap, add);
}

// In which a rank other than the root receives.
std::int32_t scatter_round(std::int32_t ranks, std::int32_t rank) {
  return ceil_log2(ranks) - 1 - floor_log2(rank & -rank);
}

}  // namespace

void add_binomial_scatter(Builder& builder, const Chunks& chunks, std::int32_t rank) {
  if (rank != 0) {
    builder.receive(scatter_round(chunks.ranks, rank), parent_of(rank), scattered(chunks, rank));
  }
  for_each_child(chunks.ranks, rank, [&](std::int32_t child) {
    builder.send(scatter_round(chunks.ranks, child), child, scattered(chunks, child));
    if (scattered_chunks(chunks.ranks, child) > 1) builder.go_alone();
  });
}

void add_ring_sends(Builder& builder, const Chunks& chunks, std::int32_t round, std::int32_t to,
                    std::int32_t first, std::int32_t steps) {
  add_ring(chunks, round, first, steps, [&](std::int32_t at, BlockSet set, Repeat repeat) {
    builder.send(at, to, set, repeat);
  });
}

void add_ring_receives(Builder& builder, const Chunks& chunks, std::int32_t round,
                       std::int32_t from, std::int32_t first, std::int32_t steps) {
  add_ring(chunks, round, first, steps, [&](std::int32_t at, BlockSet set, Repeat repeat) {
    builder.receive(at, from, set, repeat);
  });
}

std::int32_t block_per_rank(const Problem& problem, Values) { return problem.ranks; }

}  // namespace anabranch
