// The node with the longest multi-port period loses its slowest link, as long as the root reaches
// all.
//
// Source: paper B, section 5.2.2 ("Multiport-Prune-Degree"): algorithm 2 with the period of section
// 3.2, max(links * send_u, max T_uv).
#include <algorithm>

#include "platform/heuristic.hpp"
#include "platform/pruning.hpp"

namespace anabranch::platform {
namespace {

constexpr std::string_view models[] = {multi_port};

}  // namespace

extern const Heuristic tree_prune_degree_multiport = {
    .id = "tree/prune_degree_multiport",
    .summary = "removes the slowest link of the node with the longest multi-port period",
    .source = "paper B, section 5.2.2",
    .cost = "O(E V)",
    .models = models,
    .build = [](const TreeRequest& request) -> Routing {
      const auto period = [](const SlicePlatform& platform, std::int32_t node, std::int32_t links,
                             double, double slowest_s) {
        return std::max(links * platform.send_s(node), slowest_s);
      };
      return {.tree = prune_by_node(request.platform, request.root, period), .copies = {}};
    },
};

}  // namespace anabranch::platform
