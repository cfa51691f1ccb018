// Trees grown from the root one link at a time, the cheapest way to a new node first (Prim).
#pragma once

#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "platform/slice_platform.hpp"

namespace anabranch::platform {

// `cost(link)` may depend on the links taken so far, but must not fall as more are taken; `take`
// is told of each. Of equal costs the lower link is taken. O(E log E) while costs rise seldom: a
// cost is asked for again only when its link comes up.
template <typename Cost, typename Take>
Tree grow_tree(const SlicePlatform& platform, std::int32_t root, Cost cost, Take take) {
  using Candidate = std::pair<double, std::int32_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  Tree tree(static_cast<std::size_t>(platform.nodes()), -1);
  std::vector<bool> reached(tree.size(), false);
  const auto reach = [&](std::int32_t node) {
    reached[static_cast<std::size_t>(node)] = true;
    for (const std::int32_t link : platform.links_from(node)) {
      if (reached[static_cast<std::size_t>(platform.link(link).target)]) continue;
      candidates.emplace(cost(link), link);
    }
  };
  reach(root);
  while (!candidates.empty()) {
    const auto [known, link] = candidates.top();
    candidates.pop();
    const std::int32_t target = platform.link(link).target;
    if (reached[static_cast<std::size_t>(target)]) continue;
    if (const double now = cost(link); now > known) {
      candidates.emplace(now, link);
      continue;
    }
    tree[static_cast<std::size_t>(target)] = link;
    take(link);
    reach(target);
  }
  return tree;
}

}  // namespace anabranch::platform
