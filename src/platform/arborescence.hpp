// Minimum-cost arborescences: the cheapest tree from a root to all nodes along directed links.
//
// Tarjan's algorithm (Networks 7, 1977) on paths, after Gabow, Galil, Spencer and Tarjan
// (Combinatorica 6, 1986), with leftist heaps instead of Fibonacci heaps: O(E log V).
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "platform/slice_platform.hpp"

namespace anabranch::platform {

// The tree with the least sum of costs. Among those, to within 2^-50 of the range of the costs per
// link, the one whose nodes' parents are the fewest hops away from the root in sum: prices that are
// zero shall not make long trees. The same arguments give the same tree.
// `costs`: one finite number per link, of any sign. Throws std::invalid_argument, naming nodes,
// where the root does not reach all.
Tree minimum_arborescence(const SlicePlatform& platform, std::int32_t root,
                          std::span<const double> costs);

// The sum of the costs of the tree's links.
double cost_of(const Tree& tree, std::span<const double> costs);

// The same for a series of costs on one platform: keeps the memory, checks the root once.
class ArborescenceFinder {
 public:
  ArborescenceFinder(const SlicePlatform& platform, std::int32_t root);
  const Tree& find(std::span<const double> costs);
  // By how much less than the found tree the cheapest one may cost at most, for rounded costs.
  double slack() const { return slack_; }

 private:
  // An element of an ordered group: the cost in units of its rounding, then hops.
  struct Key {
    std::int64_t cost = 0;
    std::int64_t hops = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
    Key operator-() const { return {-cost, -hops}; }
    Key& operator+=(const Key& other) {
      cost += other.cost;
      hops += other.hops;
      return *this;
    }
  };
  // One entry per link; the heap of a node, or of nodes contracted to one, holds what enters it.
  struct Entry {
    Key key;
    Key pending;  // still to be added to the keys of all below
    std::int32_t left = -1;
    std::int32_t right = -1;
    std::int32_t rank = 1;
  };

  void set_keys(std::span<const double> costs);
  void build_heaps();
  void settle(std::int32_t entry);
  std::int32_t meld(std::int32_t a, std::int32_t b);
  std::int32_t pop_cheapest(std::int32_t group);
  std::int32_t group_of(std::int32_t node);
  void contract(std::vector<std::int32_t>& path, std::int32_t first);
  void grow_path(std::int32_t start);
  void expand();

  const SlicePlatform& platform_;
  std::int32_t root_;
  std::vector<std::int32_t> hops_;
  double slack_ = 0;
  std::vector<Entry> entries_;
  // Of nodes and, from platform.nodes() on, of contracted cycles: groups.
  std::vector<std::int32_t> heap_;
  std::vector<std::int32_t> top_;       // union-find: towards the outermost group
  std::vector<std::int32_t> inside_;    // the group that it was contracted into
  std::vector<std::int32_t> entering_;  // the link chosen to enter it
  std::vector<std::int32_t> state_;
  std::vector<std::int32_t> queue_;
  std::int32_t groups_ = 0;
  Tree tree_;
};

}  // namespace anabranch::platform
