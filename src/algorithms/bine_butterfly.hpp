// Bine butterflies: trees of negabinary distances from all ranks at once, over the same pairs. On
// level n an even rank is paired with the one 1, -1, 3, -5, 11, .. = (1 - (-2)^n) / 3 ahead, and an
// odd one with the one as far behind, around a ring of any even number of ranks.
//
// Source: De Sensi et al., Bine Trees, SC '25; its libraries take any even number of ranks. An odd
// number is folded to an even one here.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "algorithms/folding.hpp"
#include "algorithms/scatter_allgather.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

class BineButterfly {
 public:
  // An even number of ranks, or one.
  explicit BineButterfly(std::int32_t ranks);

  std::int32_t levels() const { return levels_; }
  std::int32_t partner_of(std::int32_t rank, std::int32_t level) const;
  // The levels over which what one rank has for another travels, the highest one first: bit n - 1
  // is level n. Each pair of ranks has one path, and each begin of a path is one, too.
  std::uint64_t path(std::int32_t from, std::int32_t to) const;
  // The last level of that; 0 for the rank itself.
  std::int32_t last_level(std::int32_t from, std::int32_t to) const;

 private:
  std::int64_t ranks_;
  std::int32_t levels_;
};

// The highest level first, or the lowest one, as pairs of `folded_exchange`.
struct BinePairs {
  BineButterfly butterfly;
  bool halves_distances = false;

  std::int32_t level(std::int32_t step) const {
    return halves_distances ? butterfly.levels() - step : step + 1;
  }
  std::int32_t partner_of(std::int32_t group, std::int32_t step) const {
    return butterfly.partner_of(group, level(step));
  }
  // The same for all that have the same operands, on a power of two of groups with distances that
  // halve: so all get the same bits.
  bool comes_first(std::int32_t group, std::int32_t step) const {
    return (butterfly.path(group, 0) >> (level(step) - 1) & 1) == 0;
  }
};

// Appends blocks to those of a message: to its last set where they lie on the line of that.
void append(std::vector<BlockSet>& sets, const BlockSet& next);

struct RankRange {
  std::int32_t first = 0;
  std::int32_t count = 0;

  std::int32_t end() const { return first + count; }
  bool has(std::int32_t rank) const { return first <= rank && rank < end(); }
};

// The chunks that reach the group from others on the level in an allgather, of all ranks in their
// groups. On 2^q ranks they are two strided sets, on others some more.
std::vector<BlockSet> bine_chunks(const Chunks& chunks, const Folding& folding,
                                  const BineButterfly& butterfly, std::int32_t group,
                                  std::int32_t level, const RankRange& without = {});

// The ranks whose chunks a rank has from the start.
using HeldRange = std::function<RankRange(std::int32_t rank)>;

// An allgather with the highest level first, so that long messages have the short ways: in so many
// rounds, of which an odd number of ranks has one before and one after, for the folded pair. What
// receivers have from the start is left out.
std::int32_t bine_allgather_rounds(std::int32_t ranks);
void add_bine_allgather(Builder& builder, const Chunks& chunks, std::int32_t first_round,
                        std::int32_t rank, const HeldRange& held);

// Time of that for parts of one size, with or without the first round of a pair, and of the
// reduce-scatter that is its way back, s.
double bine_allgather_time_s(const Problem& problem, bool root_has_all = false);
double bine_reduce_scatter_time_s(const Problem& problem);

}  // namespace anabranch
