// Links removed one by one from the whole platform while the root still reaches all nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "platform/slice_platform.hpp"

namespace anabranch::platform {

// What cannot be removed now can never be removed later: fewer links never reach more.
class Pruning {
 public:
  Pruning(const SlicePlatform& platform, std::int32_t root);

  // Removes the link, or returns false where some node would be out of reach. Links outside of the
  // tree that is kept go at once; for one inside, the nodes below it are hung anew.
  bool remove(std::int32_t link);
  // The links that are left once each has been tried are a tree: this one.
  const Tree& tree() const { return tree_; }

 private:
  enum class Place : std::uint8_t { elsewhere, below, hung };
  void find_below(std::int32_t node);
  void hang_below(std::int32_t without);

  const SlicePlatform& platform_;
  std::vector<bool> removed_;
  Tree tree_;
  std::vector<std::vector<std::int32_t>> children_;
  std::vector<Place> place_;
  std::vector<std::int32_t> below_;
  std::vector<std::int32_t> hung_;  // links
};

// Tries each link once, in that order.
Tree prune_in_order(const SlicePlatform& platform, std::int32_t root,
                    std::span<const std::int32_t> order);

// The links by falling value; those of equal value by index.
std::vector<std::int32_t> by_falling(std::span<const double> values);
std::vector<double> times_of(const SlicePlatform& platform);

// Of the node whose value is largest, the slowest outgoing link goes that can, until none can.
// `value(node, links, sum_s, slowest_s)` tells what its remaining links make of a node.
using NodeValue = double (*)(const SlicePlatform&, std::int32_t node, std::int32_t links,
                             double sum_s, double slowest_s);
Tree prune_by_node(const SlicePlatform& platform, std::int32_t root, NodeValue value);

}  // namespace anabranch::platform
