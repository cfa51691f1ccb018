// Prim's algorithm: the fastest link from who has the message to who has not.
//
// For a single message: it looks at neither ports nor pipelining. Source: Bhat, Raghavendra,
// Prasanna ("fastest edge first"), as paper B, section 6, cites it.
#include "platform/growing.hpp"
#include "platform/heuristic.hpp"

namespace anabranch::platform {

extern const Heuristic tree_fastest_edge_first = {
    .id = "tree/fastest_edge_first",
    .summary = "adds the fastest link to a new node; made for single messages",
    .source = "Bhat, Raghavendra, Prasanna, JPDC 63 (2003); paper B, section 6",
    .cost = "O(E log E)",
    .build = [](const TreeRequest& request) -> Routing {
      const SlicePlatform& platform = request.platform;
      const auto time_s = [&](std::int32_t link) { return platform.link(link).time_s; };
      return {.tree = grow_tree(platform, request.root, time_s, [](std::int32_t) {}), .copies = {}};
    },
};

}  // namespace anabranch::platform
