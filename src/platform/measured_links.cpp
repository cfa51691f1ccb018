#include "platform/measured_links.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>

#include "platform/heuristic.hpp"
#include "platform/local_search.hpp"
#include "platform/slice_platform.hpp"

namespace anabranch::platform {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// Sends and receives of a node keep a port each busy.
SlicePlatform one_port_platform(const MeasuredLinks& links, double latency_s,
                                std::int64_t slice_bytes) {
  std::vector<Link> found;
  std::vector<std::vector<Use>> uses;
  for (std::int32_t target = 0; target < links.nodes; ++target) {
    for (std::size_t k = 0; k < links.shifts.size(); ++k) {
      const std::int32_t source = (target + links.nodes - links.shifts[k]) % links.nodes;
      const double per_byte_s = links.time_per_byte_s[at(target) * links.shifts.size() + k];
      const double time_s = latency_s + static_cast<double>(slice_bytes) * per_byte_s;
      found.push_back({source, target, time_s});
      uses.push_back({{source, time_s}, {links.nodes + target, time_s}});
    }
  }
  return {links.nodes, std::move(found), {}, 2 * links.nodes, uses};
}

std::vector<std::int32_t> parents_in(const SlicePlatform& platform, const Tree& tree) {
  std::vector<std::int32_t> parents;
  for (const std::int32_t link : tree) {
    parents.push_back(link < 0 ? no_node : platform.link(link).source);
  }
  return parents;
}

// Nodes above which most are hung are sent to first.
std::vector<std::int32_t> positions_in(const SlicePlatform& platform, const Tree& tree,
                                       const std::vector<std::int32_t>& parents) {
  const std::vector<std::int32_t> downwards = top_down(platform, tree);
  std::vector<std::int32_t> height(tree.size(), 0);
  for (auto node = downwards.rbegin(); node != downwards.rend(); ++node) {
    const std::int32_t above = parents[at(*node)];
    if (above != no_node) height[at(above)] = std::max(height[at(above)], height[at(*node)] + 1);
  }
  std::vector<std::int32_t> order(tree.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::int32_t n) { return height[at(n)]; });
  std::vector<std::int32_t> positions(tree.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    positions[at(order[i])] = static_cast<std::int32_t>(i);
  }
  return positions;
}

std::int32_t depth_of(const std::vector<std::int32_t>& parents) {
  std::int32_t deepest = 0;
  for (std::size_t node = 0; node < parents.size(); ++node) {
    std::int32_t depth = 0;
    for (std::int32_t above = parents[node]; above != no_node; above = parents[at(above)]) ++depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

struct PortTimes {
  double sending_s = 0;
  double receiving_s = 0;
};

// Of a byte, by node.
std::vector<PortTimes> fastest_of_ports(const MeasuredLinks& links) {
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<PortTimes> fastest(at(links.nodes), {none, none});
  for (std::int32_t target = 0; target < links.nodes; ++target) {
    for (std::size_t k = 0; k < links.shifts.size(); ++k) {
      const std::int32_t source = (target + links.nodes - links.shifts[k]) % links.nodes;
      const double byte_s = links.time_per_byte_s[at(target) * links.shifts.size() + k];
      fastest[at(source)].sending_s = std::min(fastest[at(source)].sending_s, byte_s);
      fastest[at(target)].receiving_s = std::min(fastest[at(target)].receiving_s, byte_s);
    }
  }
  return fastest;
}

Tree good_tree(const SlicePlatform& platform) {
  return improve_tree(platform, build_routing("tree/grow_load", {platform}).tree);
}

// m/s slices of s bytes go down `depth` links: (m/s + depth) (s beta + alpha) is least there.
std::int64_t best_slice_bytes(std::int64_t size_bytes, std::int32_t depth, double latency_s,
                              double time_per_byte_s) {
  constexpr double least = 2048;  // below it, what a message costs its ranks counts for more
  constexpr double most = 65536;
  const double best = std::sqrt(static_cast<double>(size_bytes) * latency_s /
                                (std::max(depth, 1) * time_per_byte_s));
  return std::llround(std::clamp(best, least, most));
}

}  // namespace

std::vector<std::int32_t> shifts_to_measure(std::int32_t nodes) {
  constexpr std::int32_t most_nodes_for_all = 16;
  std::set<std::int32_t> shifts;
  const bool is_doubled = nodes > most_nodes_for_all;
  for (std::int32_t shift = 1; shift < nodes; shift += is_doubled ? shift : 1) {
    shifts.insert(shift);
    shifts.insert(nodes - shift);
  }
  return {shifts.begin(), shifts.end()};
}

double MeasuredLinks::slowest_s() const { return std::ranges::max(time_per_byte_s); }
double MeasuredLinks::fastest_s() const { return std::ranges::min(time_per_byte_s); }

double MeasuredLinks::median_s() const {
  std::vector<double> sorted = time_per_byte_s;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

std::int32_t MeasuredLinks::apart() const {
  constexpr double factor = 4.0 / 3;
  const double median = median_s();
  return static_cast<std::int32_t>(std::ranges::count_if(time_per_byte_s, [&](double link_s) {
    return link_s > factor * median || factor * link_s < median;
  }));
}

bool MeasuredLinks::differ_much() const {
  const double median = median_s();
  return differ() && (slowest_s() > 2 * median || 2 * fastest_s() < median);
}

std::int64_t first_probe_bytes(double latency_s, double time_per_byte_s) {
  constexpr double least = 8192;
  return std::llround(std::max(least, 4 * latency_s / time_per_byte_s));
}

std::int64_t further_probe_bytes(std::int64_t size_bytes, std::int32_t nodes, double latency_s,
                                 double time_per_byte_s) {
  if (nodes < 3 || time_per_byte_s <= 0) return 0;
  constexpr std::int64_t most = 65536;
  const std::int64_t first = first_probe_bytes(latency_s, time_per_byte_s);
  const auto shifts = static_cast<std::int64_t>(shifts_to_measure(nodes).size());
  const std::int64_t each = (size_bytes / shifts - first) / further_repetitions;
  return each < first ? 0 : std::min(each, std::max(first, most));
}

double time_per_byte_of_ports(const MeasuredLinks& links, const RankTrees& trees) {
  const std::vector<PortTimes> fastest = fastest_of_ports(links);
  std::vector<PortTimes> loads(fastest.size(), {0, 0});
  for (const std::int32_t tree : trees.order) {
    const auto& parents = trees.trees[at(tree)].parent;
    for (std::size_t node = 0; node < parents.size(); ++node) {
      if (parents[node] < 0) continue;
      loads[at(parents[node])].sending_s += fastest[at(parents[node])].sending_s;
      loads[node].receiving_s += fastest[node].receiving_s;
    }
  }
  double busiest_s = 0;
  for (const PortTimes& load : loads) {
    busiest_s = std::max({busiest_s, load.sending_s, load.receiving_s});
  }
  return busiest_s / static_cast<double>(trees.order.size());
}

Plan tree_along(const MeasuredLinks& links, double latency_s, std::int64_t size_bytes) {
  Plan plan;
  plan.model = std::string_view(one_port);
  // The tree for slices of any length tells how long they should be.
  const SlicePlatform first = one_port_platform(links, latency_s, 8192);
  const auto depth = depth_of(parents_in(first, good_tree(first)));
  plan.slice_bytes = best_slice_bytes(size_bytes, depth, latency_s, links.fastest_s());
  const SlicePlatform platform = one_port_platform(links, latency_s, plan.slice_bytes);
  const Tree tree = good_tree(platform);
  plan.period_s = platform.period_s(tree);
  const auto parents = parents_in(platform, tree);
  plan.trees = {{.parent = parents, .position = positions_in(platform, tree, parents)}};
  plan.order = {0};
  plan.nodes.resize(at(links.nodes));
  return plan;
}

}  // namespace anabranch::platform
