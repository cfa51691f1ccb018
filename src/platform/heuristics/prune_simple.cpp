// The slowest links go, as long as the root reaches all.
//
// Source: paper B, algorithm 1. Its test "still connected" must be "all are reachable from the
// source", and as removability is monotone one pass over the links is enough.
#include "platform/heuristic.hpp"
#include "platform/pruning.hpp"

namespace anabranch::platform {

extern const Heuristic tree_prune_simple = {
    .id = "tree/prune_simple",
    .summary = "removes the slowest links while the root reaches all nodes",
    .source = "paper B, algorithm 1",
    .cost = "O(E V)",
    .build = [](const TreeRequest& request) -> Routing {
      const SlicePlatform& platform = request.platform;
      const auto order = by_falling(times_of(platform));
      return {.tree = prune_in_order(platform, request.root, order), .copies = {}};
    },
};

}  // namespace anabranch::platform
