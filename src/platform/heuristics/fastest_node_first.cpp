// The fastest node that can be reached comes next, from the sender that can have it there first.
//
// For a single message: it looks at when nodes have it, not at how often they can send. Source:
// Banikazemi, Moorthy, Panda ("fastest node first"), as paper B, section 6, cites it; where links
// differ, a node is as fast as its outgoing links on average, and one without any is the slowest.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "platform/heuristic.hpp"

namespace anabranch::platform {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

std::vector<double> mean_times_s(const SlicePlatform& platform) {
  std::vector<double> means_s;
  for (std::int32_t node = 0; node < platform.nodes(); ++node) {
    const auto links = platform.links_from(node);
    double sum_s = 0;
    for (const std::int32_t link : links) sum_s += platform.link(link).time_s;
    means_s.push_back(links.empty() ? std::numeric_limits<double>::infinity()
                                    : sum_s / static_cast<double>(links.size()));
  }
  return means_s;
}

Routing build(const TreeRequest& request) {
  const SlicePlatform& platform = request.platform;
  const auto means_s = mean_times_s(platform);
  std::vector<std::int32_t> order(at(platform.nodes()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return means_s[at(a)] < means_s[at(b)]; });
  Tree tree(order.size(), -1);
  std::vector<double> free_at_s(order.size(), -1);  // the sender; negative: has no message yet
  free_at_s[at(request.root)] = 0;
  std::erase(order, request.root);
  while (!order.empty()) {
    double earliest_s = std::numeric_limits<double>::infinity();
    std::int32_t chosen = -1;
    const auto next = std::find_if(order.begin(), order.end(), [&](std::int32_t node) {
      for (const std::int32_t link : platform.links_to(node)) {
        const Link& ends = platform.link(link);
        const double free_s = free_at_s[at(ends.source)];
        if (free_s < 0 || free_s + ends.time_s >= earliest_s) continue;
        earliest_s = free_s + ends.time_s;
        chosen = link;
      }
      return chosen >= 0;
    });
    const Link& ends = platform.link(chosen);
    const double busy_s =
        platform.send_s(ends.source) > 0 ? platform.send_s(ends.source) : ends.time_s;
    free_at_s[at(ends.source)] += busy_s;
    free_at_s[at(ends.target)] = earliest_s;
    tree[at(ends.target)] = chosen;
    order.erase(next);
  }
  return {.tree = std::move(tree), .copies = {}};
}

}  // namespace

extern const Heuristic tree_fastest_node_first = {
    .id = "tree/fastest_node_first",
    .summary = "reaches the fastest node next, as early as possible; made for single messages",
    .source = "Banikazemi, Moorthy, Panda, ICPP 1998; paper B, section 6",
    .cost = "O(V E)",
    .build = build,
};

}  // namespace anabranch::platform
