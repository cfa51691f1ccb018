// Any number of ranks as fewer groups, usually a power of two: the first ranks are folded in pairs,
// of which the first one acts for both. Groups are in the order of ranks, and so are their
// operands.
#pragma once

#include <cstdint>

#include "algorithms/logarithm.hpp"

namespace anabranch {

class Folding {
 public:
  explicit Folding(std::int32_t ranks) : Folding(ranks, std::int32_t{1} << floor_log2(ranks)) {}
  // Into at least half as many groups as ranks.
  Folding(std::int32_t ranks, std::int32_t groups) : groups_(groups), pairs_(ranks - groups) {}
  // Into an even number of groups, or one.
  static Folding to_even(std::int32_t ranks) { return {ranks, ranks > 1 ? ranks - ranks % 2 : 1}; }

  std::int32_t steps() const { return ceil_log2(groups_); }  // log2 of a power of two of groups
  std::int32_t groups() const { return groups_; }
  std::int32_t pairs() const { return pairs_; }
  // Of exchanges in all steps, and within the pairs before and after them.
  std::int32_t rounds() const { return steps() + (pairs_ > 0 ? 2 : 0); }

  bool is_paired(std::int32_t rank) const { return rank < 2 * pairs_; }
  bool acts(std::int32_t rank) const { return !is_paired(rank) || rank % 2 == 0; }
  std::int32_t group(std::int32_t rank) const { return is_paired(rank) ? rank / 2 : rank - pairs_; }
  // The first rank of a group; for groups() the number of ranks.
  std::int32_t first(std::int32_t group) const {
    return group < pairs_ ? 2 * group : group + pairs_;
  }
  // Ranks in groups begin .. end - 1.
  std::int32_t size(std::int32_t begin, std::int32_t end) const {
    return first(end) - first(begin);
  }

 private:
  std::int32_t groups_;
  std::int32_t pairs_;
};

}  // namespace anabranch
