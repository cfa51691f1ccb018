// Prim's algorithm on the links that carry most in an optimum of many trees.
//
// Source: paper B, algorithm 7. Which optimum the solver returns matters; of equal loads the faster
// link is taken.
#include "platform/growing.hpp"
#include "platform/heuristic.hpp"
#include "platform/load_order.hpp"

namespace anabranch::platform {
namespace {

Routing build(const TreeRequest& request) {
  const std::vector<std::int32_t> order = links_by_load(request, Load::most_first);
  std::vector<double> place(order.size());
  for (std::size_t index = 0; index < order.size(); ++index) {
    place[static_cast<std::size_t>(order[index])] = static_cast<double>(index);
  }
  const auto cost = [&](std::int32_t link) { return place[static_cast<std::size_t>(link)]; };
  return {.tree = grow_tree(request.platform, request.root, cost, [](std::int32_t) {}),
          .copies = {}};
}

}  // namespace

extern const Heuristic tree_lp_grow = {
    .id = "tree/lp_grow",
    .summary = "adds the link that carries most in an optimum of many trees",
    .source = "paper B, algorithm 7",
    .cost = "O(E log E), after the linear program",
    .needs_load = true,
    .build = build,
};

}  // namespace anabranch::platform
