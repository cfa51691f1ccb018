#include "platform/slice_platform.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace anabranch::platform {
namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

bool is_time(double value) { return std::isfinite(value) && value >= 0; }

std::string range_text(std::int32_t count) { return "0 to " + std::to_string(count - 1); }

}  // namespace

SlicePlatform::SlicePlatform(std::int32_t nodes, std::vector<Link> links,
                             std::vector<double> send_s, std::int32_t resources,
                             const std::vector<std::vector<Use>>& uses)
    : nodes_(nodes), resources_(resources), links_(std::move(links)), send_s_(std::move(send_s)) {
  if (nodes_ < 1) fail("a platform has at least one node, not " + std::to_string(nodes_));
  if (resources_ < 0) fail("a platform cannot have " + std::to_string(resources_) + " resources");
  if (send_s_.empty()) send_s_.assign(static_cast<std::size_t>(nodes_), 0);
  if (send_s_.size() != static_cast<std::size_t>(nodes_)) {
    fail("send_s has " + std::to_string(send_s_.size()) + " values for " + std::to_string(nodes_) +
         " nodes");
  }
  for (const double value : send_s_) {
    if (!is_time(value)) fail("send_s must be finite and not negative");
  }
  check_links();
  keep_uses(uses);
  from_ = links_by(&Link::source);
  to_ = links_by(&Link::target);
}

void SlicePlatform::check_links() const {
  for (std::size_t index = 0; index < links_.size(); ++index) {
    const Link& link = links_[index];
    const std::string name = "link " + std::to_string(index);
    for (const std::int32_t node : {link.source, link.target}) {
      if (node < 0 || node >= nodes_) {
        fail(name + " has the end " + std::to_string(node) + ": valid are " + range_text(nodes_));
      }
    }
    if (link.source == link.target) {
      fail(name + " leads from node " + std::to_string(link.source) + " to itself");
    }
    if (!is_time(link.time_s) || link.time_s == 0) {
      fail(name + " takes " + std::to_string(link.time_s) + " s: a time must be positive");
    }
  }
}

void SlicePlatform::keep_uses(const std::vector<std::vector<Use>>& uses) {
  if (uses.size() != links_.size()) {
    fail("uses has " + std::to_string(uses.size()) + " rows for " + std::to_string(links_.size()) +
         " links");
  }
  uses_.first.push_back(0);
  for (std::size_t index = 0; index < uses.size(); ++index) {
    for (const Use& use : uses[index]) {
      const std::string name = "link " + std::to_string(index);
      if (use.resource < 0 || use.resource >= resources_) {
        fail(name + " uses resource " + std::to_string(use.resource) + ": there are " +
             std::to_string(resources_));
      }
      if (!is_time(use.share_s)) fail(name + " has a share that is negative or not finite");
      uses_.items.push_back(use);
    }
    uses_.first.push_back(uses_.items.size());
  }
}

SlicePlatform::Rows<std::int32_t> SlicePlatform::links_by(std::int32_t Link::* end) const {
  Rows<std::int32_t> rows;
  rows.first.assign(static_cast<std::size_t>(nodes_) + 1, 0);
  rows.items.resize(links_.size());
  for (const Link& link : links_) ++rows.first[static_cast<std::size_t>(link.*end) + 1];
  for (std::size_t node = 1; node < rows.first.size(); ++node) {
    rows.first[node] += rows.first[node - 1];
  }
  std::vector<std::size_t> next(rows.first.begin(), rows.first.end() - 1);
  for (std::size_t index = 0; index < links_.size(); ++index) {
    rows.items[next[static_cast<std::size_t>(links_[index].*end)]++] =
        static_cast<std::int32_t>(index);
  }
  return rows;
}

void SlicePlatform::add_tree(const Tree& tree, double slices, std::span<double> loads_s) const {
  for (const std::int32_t link : tree) {
    if (link >= 0) add_link(link, slices, loads_s);
  }
}

double SlicePlatform::period_s(const Tree& tree) const {
  std::vector<double> loads_s(static_cast<std::size_t>(resources_), 0);
  add_tree(tree, 1, loads_s);
  return loads_s.empty() ? 0 : *std::max_element(loads_s.begin(), loads_s.end());
}

double SlicePlatform::routing_period_s(std::span<const std::int32_t> copies) const {
  std::vector<double> loads_s(static_cast<std::size_t>(resources_), 0);
  for (std::size_t index = 0; index < copies.size(); ++index) {
    if (copies[index] != 0) add_link(static_cast<std::int32_t>(index), copies[index], loads_s);
  }
  return loads_s.empty() ? 0 : *std::max_element(loads_s.begin(), loads_s.end());
}

void check_node(const SlicePlatform& platform, std::int32_t node) {
  if (node < 0 || node >= platform.nodes()) {
    fail("there is no node " + std::to_string(node) + ": valid are " +
         range_text(platform.nodes()));
  }
}

void check_tree(const SlicePlatform& platform, const Tree& tree) {
  if (tree.size() != static_cast<std::size_t>(platform.nodes())) {
    fail("the tree has " + std::to_string(tree.size()) + " entries for " +
         std::to_string(platform.nodes()) + " nodes");
  }
  std::int32_t roots = 0;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    const std::int32_t link = tree[node];
    if (link == -1) {
      ++roots;
    } else if (link < 0 || static_cast<std::size_t>(link) >= platform.link_count()) {
      fail("the tree names link " + std::to_string(link) + " of " +
           std::to_string(platform.link_count()));
    } else if (platform.link(link).target != static_cast<std::int32_t>(node)) {
      fail("node " + std::to_string(node) + " of the tree receives over link " +
           std::to_string(link) + ", which leads to node " +
           std::to_string(platform.link(link).target));
    }
  }
  if (roots != 1) fail("the tree has " + std::to_string(roots) + " roots instead of one");
  if (top_down(platform, tree).size() != tree.size()) fail("the tree has a cycle");
}

std::int32_t root_of(const Tree& tree) {
  return static_cast<std::int32_t>(std::find(tree.begin(), tree.end(), -1) - tree.begin());
}

std::vector<std::int32_t> top_down(const SlicePlatform& platform, const Tree& tree) {
  std::vector<std::vector<std::int32_t>> children(tree.size());
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree[node] < 0) continue;
    children[static_cast<std::size_t>(platform.link(tree[node]).source)].push_back(
        static_cast<std::int32_t>(node));
  }
  std::vector<std::int32_t> order{root_of(tree)};
  order.reserve(tree.size());
  for (std::size_t next = 0; next < order.size(); ++next) {
    const auto& below = children[static_cast<std::size_t>(order[next])];
    order.insert(order.end(), below.begin(), below.end());
  }
  return order;
}

std::vector<std::int32_t> hops_from(const SlicePlatform& platform, std::int32_t root) {
  std::vector<std::int32_t> hops(static_cast<std::size_t>(platform.nodes()), -1);
  std::vector<std::int32_t> order{root};
  hops[static_cast<std::size_t>(root)] = 0;
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::int32_t link : platform.links_from(order[next])) {
      const std::int32_t target = platform.link(link).target;
      std::int32_t& found = hops[static_cast<std::size_t>(target)];
      if (found >= 0) continue;
      found = hops[static_cast<std::size_t>(order[next])] + 1;
      order.push_back(target);
    }
  }
  return hops;
}

void check_reachable(const SlicePlatform& platform, std::int32_t root) {
  check_node(platform, root);
  constexpr std::size_t max_named = 8;
  std::string named;
  std::size_t missing = 0;
  const auto hops = hops_from(platform, root);
  for (std::size_t node = 0; node < hops.size(); ++node) {
    if (hops[node] >= 0) continue;
    if (missing < max_named) named += (missing ? ", " : "") + std::to_string(node);
    ++missing;
  }
  if (missing == 0) return;
  if (missing > max_named) named += " and " + std::to_string(missing - max_named) + " more";
  fail("no links lead from node " + std::to_string(root) + " to " +
       (missing > 1 ? "nodes " : "node ") + named);
}

}  // namespace anabranch::platform
