// The links that carry least in an optimum of many trees go, as long as the root reaches all.
//
// Source: paper B, algorithm 6, which as printed sorts the other way round. Which optimum the
// solver returns matters; of equal loads the slower link goes first.
#include <algorithm>
#include <numeric>

#include "platform/heuristic.hpp"
#include "platform/pruning.hpp"

namespace anabranch::platform {
namespace {

Routing build(const TreeRequest& request) {
  const SlicePlatform& platform = request.platform;
  std::vector<std::int32_t> order(platform.link_count());
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](std::int32_t link) {
    return std::pair(request.load[static_cast<std::size_t>(link)], -platform.link(link).time_s);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return value(a) < value(b); });
  return {.tree = prune_in_order(platform, request.root, order), .copies = {}};
}

}  // namespace

extern const Heuristic tree_lp_prune = {
    .id = "tree/lp_prune",
    .summary = "removes the links that carry least in an optimum of many trees",
    .source = "paper B, algorithm 6",
    .cost = "O(E V), after the linear program",
    .needs_load = true,
    .build = build,
};

}  // namespace anabranch::platform
