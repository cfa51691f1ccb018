// The links that carry least in an optimum of many trees go, as long as the root reaches all.
//
// Source: paper B, algorithm 6, which as printed sorts the other way round. Which optimum the
// solver returns matters; of equal loads the slower link goes first.
#include "platform/heuristic.hpp"
#include "platform/load_order.hpp"
#include "platform/pruning.hpp"

namespace anabranch::platform {
namespace {

Routing build(const TreeRequest& request) {
  const std::vector<std::int32_t> order = links_by_load(request, Load::least_first);
  return {.tree = prune_in_order(request.platform, request.root, order), .copies = {}};
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
