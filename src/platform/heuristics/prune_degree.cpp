// The node whose links would take longest in sum loses its slowest link, as long as the root
// reaches all.
//
// Source: paper B, algorithm 2 ("refined platform pruning"), with reachability from the source.
#include "platform/heuristic.hpp"
#include "platform/pruning.hpp"

namespace anabranch::platform {
namespace {

constexpr std::string_view models[] = {one_port, one_port_unidirectional};

}  // namespace

extern const Heuristic tree_prune_degree = {
    .id = "tree/prune_degree",
    .summary = "removes the slowest link of the node with the largest weighted out-degree",
    .source = "paper B, algorithm 2",
    .cost = "O(E V)",
    .models = models,
    .build = [](const TreeRequest& request) -> Routing {
      const auto sum = [](const SlicePlatform&, std::int32_t, std::int32_t, double sum_s, double) {
        return sum_s;
      };
      return {.tree = prune_by_node(request.platform, request.root, sum), .copies = {}};
    },
};

}  // namespace anabranch::platform
