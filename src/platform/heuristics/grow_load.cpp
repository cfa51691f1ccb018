// Prim's algorithm on the resources: the link that leaves the busiest of those it uses least busy.
//
// When: any model, also where links share what no node owns, as a thin trunk. In the one-port model
// it is tree/grow. Source: this project; algorithm 3 of paper B, in terms of resources.
#include <algorithm>

#include "platform/growing.hpp"
#include "platform/heuristic.hpp"

namespace anabranch::platform {
namespace {

Routing build(const TreeRequest& request) {
  const SlicePlatform& platform = request.platform;
  std::vector<double> loads_s(static_cast<std::size_t>(platform.resources()), 0);
  const auto busiest_s = [&](std::int32_t link) {
    double busiest = 0;
    for (const Use& use : platform.uses(link)) {
      busiest = std::max(busiest, loads_s[static_cast<std::size_t>(use.resource)] + use.share_s);
    }
    return busiest;
  };
  const auto take = [&](std::int32_t link) { platform.add_link(link, 1, loads_s); };
  return {.tree = grow_tree(platform, request.root, busiest_s, take), .copies = {}};
}

}  // namespace

extern const Heuristic tree_grow_load = {
    .id = "tree/grow_load",
    .summary = "adds the link whose busiest resource stays least busy",
    .source = "this project, after paper B, algorithm 3",
    .cost = "O(E log E)",
    .build = build,
};

}  // namespace anabranch::platform
