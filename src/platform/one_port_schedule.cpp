#include "platform/one_port_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace anabranch::platform {
namespace {

constexpr double ticks_per_period = 0x1p40;
constexpr std::int32_t none = -1;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// A bipartite multigraph with whole weights in which all sums, left and right, are equal. Of the
// links between nodes there is a second, mirrored copy; between a node and its own copy goes what
// its sums lack of the period. So perfect matchings of what is left always exist.
class EvenGraph {
 public:
  EvenGraph(const SlicePlatform& platform, std::span<const double> busy_s, double tick_s)
      : nodes_(platform.nodes()), edges_from_(2 * at(nodes_)) {
    std::vector<std::int64_t> sent(at(nodes_), 0);
    std::vector<std::int64_t> received(at(nodes_), 0);
    for (std::int32_t link = 0; at(link) < busy_s.size(); ++link) {
      const std::int64_t ticks = tick_s > 0 ? std::llround(busy_s[at(link)] / tick_s) : 0;
      if (ticks == 0) continue;
      const auto& [source, target, time_s] = platform.link(link);
      add(source, target, ticks, link);
      add(nodes_ + target, nodes_ + source, ticks, none);
      sent[at(source)] += ticks;
      received[at(target)] += ticks;
    }
    for (std::int32_t node = 0; node < nodes_; ++node) {
      left_ = std::max({left_, sent[at(node)], received[at(node)]});
    }
    for (std::int32_t node = 0; node < nodes_; ++node) {
      add(node, nodes_ + node, left_ - sent[at(node)], none);
      add(nodes_ + node, node, left_ - received[at(node)], none);
    }
    matched_from_.assign(edges_from_.size(), none);
    matched_to_.assign(edges_from_.size(), none);
  }

  std::int64_t left() const { return left_; }

  // Takes a perfect matching off for as long as all of its edges last; returns how long.
  std::int64_t take(std::vector<std::int32_t>& links) {
    for (std::int32_t from = 0; at(from) < edges_from_.size(); ++from) {
      if (matched_from_[at(from)] == none) match(from);
    }
    std::int64_t ticks = left_;
    for (const std::int32_t edge : matched_from_) ticks = std::min(ticks, edges_[at(edge)].ticks);
    for (std::int32_t& edge : matched_from_) {
      Edge& used = edges_[at(edge)];
      if (used.link != none) links.push_back(used.link);
      used.ticks -= ticks;
      if (used.ticks > 0) continue;
      matched_to_[at(used.to)] = none;
      edge = none;
    }
    left_ -= ticks;
    return ticks;
  }

 private:
  struct Edge {
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int64_t ticks = 0;
    std::int32_t link = none;
  };

  void add(std::int32_t from, std::int32_t to, std::int64_t ticks, std::int32_t link) {
    if (ticks == 0) return;
    edges_from_[at(from)].push_back(static_cast<std::int32_t>(edges_.size()));
    edges_.push_back({from, to, ticks, link});
  }

  // Breadth first along edges that are left, then back along matched ones, to a free vertex.
  void match(std::int32_t start) {
    std::vector<std::int32_t> reached_over(edges_from_.size(), none);
    std::vector<std::int32_t> order{start};
    for (std::size_t next = 0; next < order.size(); ++next) {
      for (const std::int32_t edge : edges_from_[at(order[next])]) {
        const std::int32_t to = edges_[at(edge)].to;
        if (edges_[at(edge)].ticks == 0 || reached_over[at(to)] != none) continue;
        reached_over[at(to)] = edge;
        if (matched_to_[at(to)] == none) return shift(start, to, reached_over);
        order.push_back(edges_[at(matched_to_[at(to)])].from);
      }
    }
    throw std::logic_error("a graph with equal sums has no perfect matching");
  }

  void shift(std::int32_t start, std::int32_t to, const std::vector<std::int32_t>& reached_over) {
    for (;;) {
      const std::int32_t edge = reached_over[at(to)];
      const std::int32_t from = edges_[at(edge)].from;
      const std::int32_t before = matched_from_[at(from)];
      matched_to_[at(to)] = edge;
      matched_from_[at(from)] = edge;
      if (from == start) return;
      to = edges_[at(before)].to;
    }
  }

  std::int32_t nodes_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::int32_t>> edges_from_;
  std::vector<std::int32_t> matched_from_;  // the edge of a vertex on the left
  std::vector<std::int32_t> matched_to_;    // and on the right
  std::int64_t left_ = 0;
};

}  // namespace

std::vector<Phase> one_port_schedule(const SlicePlatform& platform,
                                     std::span<const double> busy_s) {
  if (busy_s.size() != platform.link_count()) {
    throw std::invalid_argument("there are " + std::to_string(busy_s.size()) + " times for " +
                                std::to_string(platform.link_count()) + " links");
  }
  std::vector<double> ports_s(2 * at(platform.nodes()), 0);
  for (std::int32_t link = 0; at(link) < busy_s.size(); ++link) {
    if (!std::isfinite(busy_s[at(link)]) || busy_s[at(link)] < 0) {
      throw std::invalid_argument("the time of link " + std::to_string(link) +
                                  " is negative or not finite");
    }
    ports_s[at(platform.link(link).source)] += busy_s[at(link)];
    ports_s[at(platform.nodes() + platform.link(link).target)] += busy_s[at(link)];
  }
  const double tick_s = *std::max_element(ports_s.begin(), ports_s.end()) / ticks_per_period;
  EvenGraph graph(platform, busy_s, tick_s);
  std::vector<Phase> phases;
  const std::int64_t period = graph.left();
  while (graph.left() > 0) {
    Phase phase{.start_s = static_cast<double>(period - graph.left()) * tick_s};
    phase.duration_s = static_cast<double>(graph.take(phase.links)) * tick_s;
    std::sort(phase.links.begin(), phase.links.end());
    if (!phases.empty() && phases.back().links == phase.links) {
      phases.back().duration_s += phase.duration_s;
    } else {
      phases.push_back(std::move(phase));
    }
  }
  return phases;
}

std::vector<double> busy_times_s(const SlicePlatform& platform, std::span<const Tree> trees,
                                 std::span<const double> slices) {
  std::vector<double> busy_s(platform.link_count(), 0);
  for (std::size_t index = 0; index < trees.size(); ++index) {
    for (const std::int32_t link : trees[index]) {
      if (link >= 0) busy_s[at(link)] += slices[index] * platform.link(link).time_s;
    }
  }
  return busy_s;
}

}  // namespace anabranch::platform
