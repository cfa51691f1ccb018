// Which block moves in which round of a circulant broadcast.
//
// Slot k of a phase of q rounds connects each rank r with r + skip[k]. A rank's offsets say which
// block it receives and sends in slot k: offset[k] in the first phase, q more in each later one,
// none while that is negative, the last block where it would be behind the last.
// Both take O(log^2 p) steps for one rank. Source: Traff, arXiv 2312.11236 and 2407.18004.
#pragma once

#include <array>
#include <cstdint>

#include "algorithms/logarithm.hpp"

namespace anabranch {

class Skips {
 public:
  static constexpr std::int32_t most = 31;

  explicit Skips(std::int32_t ranks) : ranks_(ranks), count_(ceil_log2(ranks)) {
    std::int64_t skip = ranks;
    for (std::int32_t k = count_; k >= 0; --k) {
      skip_[static_cast<std::size_t>(k)] = skip;
      skip = (skip + 1) / 2;
    }
  }

  std::int32_t ranks() const { return ranks_; }
  std::int32_t count() const { return count_; }  // q
  // k up to and including q, where it is the number of ranks.
  std::int64_t operator[](std::int32_t k) const { return skip_[static_cast<std::size_t>(k)]; }

  // For k below q.
  std::int32_t to(std::int32_t rank, std::int32_t k) const {
    const std::int64_t place = rank + (*this)[k];
    return static_cast<std::int32_t>(place < ranks_ ? place : place - ranks_);
  }
  std::int32_t from(std::int32_t rank, std::int32_t k) const {
    const std::int64_t place = rank - (*this)[k];
    return static_cast<std::int32_t>(place >= 0 ? place : place + ranks_);
  }

 private:
  std::array<std::int64_t, most + 1> skip_{};
  std::int32_t ranks_;
  std::int32_t count_;
};

using SlotOffsets = std::array<std::int32_t, Skips::most>;

// The one block that the rank receives in the first phase in which it can: the skip that the greedy
// walk from the root to the rank takes last. q for the root.
std::int32_t base_block(const Skips& skips, std::int32_t rank);

// Receive offsets of one rank, for slots 0 .. skips.count() - 1. Those of the root are of no use.
SlotOffsets receive_offsets(const Skips& skips, std::int32_t rank);

struct CirculantOffsets {
  CirculantOffsets(const Skips& skips, std::int32_t rank);

  SlotOffsets receive;
  SlotOffsets send;
};

}  // namespace anabranch
