// Trees of a radix k: a rank's children are those that differ from it in one digit to base k, below
// its own lowest one. Radix 2 is the binomial tree that halves the distance.
#pragma once

#include <cstdint>

#include "algorithms/algorithm.hpp"

namespace anabranch {

class KnomialTree {
 public:
  KnomialTree(std::int32_t ranks, std::int64_t radix);

  // From the root down: children on one level after the other, those furthest away first.
  std::int32_t rounds() const;
  // In which a rank other than the root receives from its parent.
  std::int32_t round_of(std::int32_t rank) const;
  std::int32_t parent_of(std::int32_t rank) const;
  // Ranks of the subtree: the rank itself and those that follow it.
  std::int32_t first_of(std::int32_t rank) const { return rank; }
  std::int32_t subtree(std::int32_t rank) const;

  // Calls visit(child), those furthest away first.
  template <typename Visit>
  void for_each_child(std::int32_t rank, Visit visit) const {
    for (std::int32_t level = level_of(rank) - 1; level >= 0; --level) {
      for (std::int64_t digit = children_on(rank, level); digit > 0; --digit) {
        visit(static_cast<std::int32_t>(rank + digit * distance(level)));
      }
    }
  }

  std::int32_t levels() const { return levels_; }
  // Ranks of a whole subtree that hangs on that level.
  std::int64_t distance(std::int32_t level) const;
  std::int64_t children_on(std::int32_t rank, std::int32_t level) const;

 private:
  // Of the lowest digit of a rank that is not 0; the root's is above all.
  std::int32_t level_of(std::int32_t rank) const;

  std::int32_t ranks_;
  std::int64_t radix_;
  std::int32_t levels_ = 0;
};

// The parameter. Default: 2 where a message costs its sender nothing beside the time on the wire,
// else the radix with the least time of levels in which a rank hands the message to all others one
// after the other, each after the overhead, while the earlier ones are still on their way (LogP).
std::int64_t best_radix(const Problem& problem);
constexpr Parameter radix_parameter = {
    .name = "radix",
    .summary = "ranks that share the message after the first level of the tree; 2: binomial",
    .minimum = 2,
    .maximum = 1000,
    .default_value = best_radix,
};

}  // namespace anabranch
