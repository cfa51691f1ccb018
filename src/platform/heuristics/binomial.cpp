// The binomial tree of indices, as MPI libraries build it, with each of its messages routed over
// the fastest path: what comes of ignoring the platform.
//
// Source: paper B, algorithm 4, whose last line is meant to be the path from u - 2^m to u. Ranks
// count from the root. Paths share links, so links carry several copies of a slice; the tree is
// what is left when each node passes on the first copy it gets. Where no path leads from a sender
// to its receiver, the root sends.
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "platform/heuristic.hpp"

namespace anabranch::platform {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// For each node the last link of the fastest path from the source (Dijkstra); of equally fast ones
// the first found.
std::vector<std::int32_t> fastest_paths(const SlicePlatform& platform, std::int32_t source) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> reached_s(at(platform.nodes()), never);
  std::vector<std::int32_t> last(at(platform.nodes()), -1);
  using Candidate = std::pair<double, std::int32_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  reached_s[at(source)] = 0;
  candidates.emplace(0, source);
  while (!candidates.empty()) {
    const auto [time_s, node] = candidates.top();
    candidates.pop();
    if (time_s > reached_s[at(node)]) continue;
    for (const std::int32_t link : platform.links_from(node)) {
      const Link& ends = platform.link(link);
      if (time_s + ends.time_s >= reached_s[at(ends.target)]) continue;
      reached_s[at(ends.target)] = time_s + ends.time_s;
      last[at(ends.target)] = link;
      candidates.emplace(reached_s[at(ends.target)], ends.target);
    }
  }
  return last;
}

// To whom a rank sends, in the order in which it does: paper B's two loops, by sender.
std::vector<std::int32_t> receivers(std::int32_t rank, std::int32_t ranks) {
  std::int32_t power = 1;  // 2^m, m = floor(log2 ranks)
  while (power <= ranks / 2) power *= 2;
  std::vector<std::int32_t> found;
  if (rank >= power) return found;
  const std::int32_t span = rank == 0 ? power : rank & -rank;
  for (std::int32_t distance = span / 2; distance >= 1; distance /= 2) {
    found.push_back(rank + distance);
  }
  if (rank + power < ranks) found.push_back(rank + power);
  return found;
}

// Counts the links of the path to `target`; who has no slice yet gets it over them.
void route(const SlicePlatform& platform, std::span<const std::int32_t> last, std::int32_t target,
           std::int32_t root, Routing& routing) {
  std::vector<std::int32_t> path;
  for (std::int32_t node = target; last[at(node)] >= 0;) {
    path.push_back(last[at(node)]);
    node = platform.link(last[at(node)]).source;
  }
  for (auto link = path.rbegin(); link != path.rend(); ++link) {
    ++routing.copies[at(*link)];
    const std::int32_t passed = platform.link(*link).target;
    if (passed != root && routing.tree[at(passed)] < 0) routing.tree[at(passed)] = *link;
  }
}

Routing build(const TreeRequest& request) {
  const SlicePlatform& platform = request.platform;
  const std::int32_t nodes = platform.nodes();
  Routing routing{.tree = Tree(at(nodes), -1),
                  .copies = std::vector<std::int32_t>(platform.link_count(), 0)};
  const auto node_of = [&](std::int32_t rank) { return (request.root + rank) % nodes; };
  const auto from_root = fastest_paths(platform, request.root);
  // A sender has a lower rank than its receivers, so it has been reached when its turn comes.
  for (std::int32_t rank = 0; rank < nodes; ++rank) {
    const auto ranks = receivers(rank, nodes);
    if (ranks.empty()) continue;
    const auto last = fastest_paths(platform, node_of(rank));
    for (const std::int32_t receiver : ranks) {
      const std::int32_t target = node_of(receiver);
      route(platform, last[at(target)] >= 0 ? last : from_root, target, request.root, routing);
    }
  }
  return routing;
}

}  // namespace

extern const Heuristic tree_binomial = {
    .id = "tree/binomial",
    .summary = "the binomial tree of indices over the fastest paths, as if links were equal",
    .source = "paper B, algorithm 4",
    .cost = "O(V E log V)",
    .build = build,
};

}  // namespace anabranch::platform
