#include "algorithms/circulant_schedule.hpp"

#include <bit>

namespace anabranch {
namespace {

// Finds, for each slot, a path of skips from the root to the rank whose block is still free and
// that arrives in time for the slot: a depth-first search that prefers large skips.
class Search {
 public:
  Search(const Skips& skips, std::int32_t rank, std::int32_t base, SlotOffsets& found)
      : skips_(skips),
        target_(std::int64_t{skips.ranks()} + rank),
        free_(((std::uint64_t{2} << skips.count()) - 1) & ~(std::uint64_t{1} << base)),
        found_(found) {}

  void run() { extend(0, 2 * std::int64_t{skips_.ranks()}, skips_.count(), 0); }

 private:
  // Returns the number of slots filled.
  std::int32_t extend(std::int64_t place, std::int64_t bound, std::int32_t block,
                      std::int32_t slot) {
    const std::int32_t slots = skips_.count();
    for (; block >= 0; block = next_free(block)) {
      const std::int64_t next = place + skips_[block];
      if (slot == slots || next > target_ - skips_[slot] || next >= bound) continue;
      if (next <= target_ - skips_[slot + 1]) slot = extend(next, bound, block, slot);
      if (slot == slots || place > target_ - skips_[slot + 1]) return slot;
      bound = next;
      found_[static_cast<std::size_t>(slot)] = block;
      ++slot;
      free_ &= ~(std::uint64_t{1} << block);
    }
    return slot;
  }

  // The largest free block below, or -1.
  std::int32_t next_free(std::int32_t block) const {
    return static_cast<std::int32_t>(std::bit_width(free_ & ((std::uint64_t{1} << block) - 1))) - 1;
  }

  const Skips& skips_;
  const std::int64_t target_;
  std::uint64_t free_;
  SlotOffsets& found_;
};

}  // namespace

std::int32_t base_block(const Skips& skips, std::int32_t rank) {
  if (rank == 0) return skips.count();
  std::int64_t left = rank;
  for (std::int32_t k = skips.count() - 1; k >= 0; --k) {
    if (left >= skips[k]) left -= skips[k];
    if (left == 0) return k;
  }
  return skips.count();
}

SlotOffsets receive_offsets(const Skips& skips, std::int32_t rank) {
  const std::int32_t base = base_block(skips, rank);
  SlotOffsets offsets{};
  Search(skips, rank, base, offsets).run();
  for (std::int32_t k = 0; k < skips.count(); ++k) {
    auto& offset = offsets[static_cast<std::size_t>(k)];
    offset = offset == skips.count() ? base : offset - skips.count();
  }
  return offsets;
}

CirculantOffsets::CirculantOffsets(const Skips& skips, std::int32_t rank)
    : receive(receive_offsets(skips, rank)), send{} {
  for (std::int32_t k = 0; k < skips.count(); ++k) {
    const auto slot = static_cast<std::size_t>(k);
    send[slot] = receive_offsets(skips, skips.to(rank, k))[slot];
  }
}

}  // namespace anabranch
