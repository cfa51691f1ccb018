// What scatters, gathers and allgathers have in common, and broadcasts that are made of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algorithms/algorithm.hpp"
#include "algorithms/logarithm.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

// A buffer as one chunk per rank, each of the same number of blocks; the last ones may be shorter
// or empty (paper C, listing 1). With one block per rank a chunk is a block.
struct Chunks {
  std::int32_t ranks;
  std::int32_t blocks;     // of the buffer
  std::int32_t per_chunk;  // blocks
  Buffer buffer = Buffer::output;

  Chunks(std::int32_t rank_count, std::int32_t block_count)
      : ranks(rank_count), blocks(block_count), per_chunk((block_count - 1) / rank_count + 1) {}

  // Blocks of the chunks begin .. end - 1.
  BlockSet range(std::int64_t begin, std::int64_t end) const {
    const std::int64_t first = std::min<std::int64_t>(begin * per_chunk, blocks);
    const std::int64_t last = std::min<std::int64_t>(end * per_chunk, blocks);
    return anabranch::blocks(static_cast<std::int32_t>(first),
                             static_cast<std::int32_t>(std::max<std::int64_t>(last - first, 0)),
                             buffer);
  }
};

// Chunks that a rank holds after the scatter: its own and those of the ranks below it in the tree,
// which follow it. For the root, all.
inline std::int32_t scattered_chunks(std::int32_t ranks, std::int32_t rank) {
  return rank == 0 ? ranks : std::min(rank & -rank, ranks - rank);
}

inline BlockSet scattered(const Chunks& chunks, std::int32_t rank) {
  return chunks.range(rank, std::int64_t{rank} + scattered_chunks(chunks.ranks, rank));
}

// The binomial scatter of papers C (figures 1, 2) and D: ceil_log2(ranks) rounds from round 0.
void add_binomial_scatter(Builder& builder, const Chunks& chunks, std::int32_t rank);

// `steps` rounds from `round`, in which one chunk each is sent to (or received from) a neighbour in
// the ring: chunk `first`, then the ones below it, around the end.
void add_ring_sends(Builder& builder, const Chunks& chunks, std::int32_t round, std::int32_t to,
                    std::int32_t first, std::int32_t steps);
void add_ring_receives(Builder& builder, const Chunks& chunks, std::int32_t round,
                       std::int32_t from, std::int32_t first, std::int32_t steps);

// Algorithm::blocks: one block per rank.
std::int32_t block_per_rank(const Problem& problem, Values values);

}  // namespace anabranch
