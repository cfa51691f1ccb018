// Prim's algorithm on what a link makes of its sender: the weighted out-degree with it.
//
// Source: paper B, algorithm 3. As printed, its costs count an earlier child twice from the third
// on; the cost of (u, w) is meant to be outdegree(u) + T_uw.
#include "platform/growing.hpp"
#include "platform/heuristic.hpp"

namespace anabranch::platform {
namespace {

constexpr std::string_view models[] = {one_port, one_port_unidirectional};

Routing build(const TreeRequest& request) {
  const SlicePlatform& platform = request.platform;
  std::vector<double> sent_s(static_cast<std::size_t>(platform.nodes()), 0);
  const auto with = [&](std::int32_t link) {
    const Link& ends = platform.link(link);
    return sent_s[static_cast<std::size_t>(ends.source)] + ends.time_s;
  };
  const auto take = [&](std::int32_t link) {
    sent_s[static_cast<std::size_t>(platform.link(link).source)] = with(link);
  };
  return {.tree = grow_tree(platform, request.root, with, take), .copies = {}};
}

}  // namespace

extern const Heuristic tree_grow = {
    .id = "tree/grow",
    .summary = "adds the link that leaves its sender with the least weighted out-degree",
    .source = "paper B, algorithm 3",
    .cost = "O(E log E)",
    .models = models,
    .build = build,
};

}  // namespace anabranch::platform
