// Allgathers in which ranks exchange all that they have: who sends which chunks to whom, and when.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/scatter_allgather.hpp"

namespace anabranch {

// Chunks first, first + 1, .., counted around the end of the ring.
struct Run {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// What a rank does in one round; runs without chunks have no peer.
struct Exchange {
  std::int32_t round = 0;
  std::int32_t to = -1;
  Run sent;
  std::int32_t from = -1;
  Run received;
};

// Recursive doubling: in step i ranks that differ in bit i exchange what their subtrees of 2^i
// ranks have. Where a subtree's partner is not complete, those of its ranks that had a partner then
// pass on what came, in a tree: that takes the distance between bit i of p and the next lower bit
// that is set, so all corrections together take floor(log2 p) less the lowest bit set. Source:
// paper D, section 4.2.
std::vector<Exchange> recursive_doubling(std::int32_t ranks, std::int32_t rank);
std::int32_t recursive_doubling_rounds(std::int32_t ranks);

// Its time for chunks of so many bytes each, s.
double recursive_doubling_time_s(const Problem& problem, double chunk_bytes);

// In round k each rank r receives from r + held[k] chunks held[k] .. held[k + 1] - 1, counted from
// its own, and sends as many to r - held[k]. held[0] is 1, the last one the number of ranks, and
// each at most twice the one before.
std::vector<Exchange> circulant_doubling(std::span<const std::int64_t> held, std::int32_t rank);
// Bruck's choice of `held`: 1, 2, 4, .., p.
std::vector<std::int64_t> doubled(std::int32_t ranks);

// Chunks that a rank has from the start: its own, and the ones after it.
using HeldChunks = std::int32_t (*)(std::int32_t ranks, std::int32_t rank);
inline std::int32_t own_chunk(std::int32_t, std::int32_t) { return 1; }

// Leaves out what receivers have from the start.
void add_exchanges(Builder& builder, const Chunks& chunks, std::int32_t first_round,
                   std::int32_t rank, std::span<const Exchange> exchanges, HeldChunks held);

}  // namespace anabranch
