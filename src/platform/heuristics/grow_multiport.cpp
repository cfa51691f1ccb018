// Prim's algorithm on what a link makes of its sender's multi-port period.
//
// Source: paper B, algorithm 5. The cost of (u, w) is meant to be max((children + 1) send_u, T_uw,
// largest T to a child); as printed it leaves out both the new child and T_uw, and is assigned to
// the link just taken.
#include <algorithm>

#include "platform/growing.hpp"
#include "platform/heuristic.hpp"

namespace anabranch::platform {
namespace {

constexpr std::string_view models[] = {multi_port};

Routing build(const TreeRequest& request) {
  const SlicePlatform& platform = request.platform;
  struct Sender {
    std::int32_t children = 0;
    double slowest_s = 0;
  };
  std::vector<Sender> senders(static_cast<std::size_t>(platform.nodes()));
  const auto period_s = [&](std::int32_t link) {
    const Link& ends = platform.link(link);
    const Sender& sender = senders[static_cast<std::size_t>(ends.source)];
    return std::max(
        {(sender.children + 1) * platform.send_s(ends.source), ends.time_s, sender.slowest_s});
  };
  const auto take = [&](std::int32_t link) {
    const Link& ends = platform.link(link);
    Sender& sender = senders[static_cast<std::size_t>(ends.source)];
    ++sender.children;
    sender.slowest_s = std::max(sender.slowest_s, ends.time_s);
  };
  return {.tree = grow_tree(platform, request.root, period_s, take), .copies = {}};
}

}  // namespace

extern const Heuristic tree_grow_multiport = {
    .id = "tree/grow_multiport",
    .summary = "adds the link that leaves its sender with the shortest multi-port period",
    .source = "paper B, algorithm 5",
    .cost = "O(E log E)",
    .models = models,
    .build = build,
};

}  // namespace anabranch::platform
