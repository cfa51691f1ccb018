// A platform priced for slices of one size under one model: what one slice over each link takes of
// every limited thing.
//
// All models are one here. A resource can be busy for one second a second, and a slice over a link
// takes shares of some: one-port, the sender's sending port and the receiver's receiving port
// (half-duplex: the port of each); multi-port, the sending node and the link; capacity, the ports,
// the link, and what it shares with others. The period of a tree is the largest load of a resource.
// Source: paper B, section 2, and its optimum as a packing of arborescences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace anabranch::platform {

struct Link {
  std::int32_t source = 0;
  std::int32_t target = 0;
  double time_s = 0;  // of one slice over it: T_uv of paper B
};

// One slice over the link keeps the resource busy for share_s.
struct Use {
  std::int32_t resource = 0;
  double share_s = 0;
};

// For each node the link over which it receives, -1 for the root alone.
using Tree = std::vector<std::int32_t>;

class SlicePlatform {
 public:
  // `send_s` of a node: how long its sender is busy with a slice in the multi-port model, else 0;
  // none at all means 0 everywhere. `uses` has a row per link. Throws std::invalid_argument.
  SlicePlatform(std::int32_t nodes, std::vector<Link> links, std::vector<double> send_s,
                std::int32_t resources, const std::vector<std::vector<Use>>& uses);

  std::int32_t nodes() const { return nodes_; }
  std::int32_t resources() const { return resources_; }
  std::span<const Link> links() const { return links_; }
  std::size_t link_count() const { return links_.size(); }
  const Link& link(std::int32_t index) const { return links_[static_cast<std::size_t>(index)]; }
  double send_s(std::int32_t node) const { return send_s_[static_cast<std::size_t>(node)]; }

  std::span<const Use> uses(std::int32_t link) const { return uses_.row(link); }
  // By index.
  std::span<const std::int32_t> links_from(std::int32_t node) const { return from_.row(node); }
  std::span<const std::int32_t> links_to(std::int32_t node) const { return to_.row(node); }

  // What `slices` over the link add to the loads of the resources, s.
  void add_link(std::int32_t link, double slices, std::span<double> loads_s) const {
    for (const Use& use : uses(link)) {
      loads_s[static_cast<std::size_t>(use.resource)] += slices * use.share_s;
    }
  }
  void add_tree(const Tree& tree, double slices, std::span<double> loads_s) const;

  // The time from one slice to the next: the largest load of a resource by one slice, s.
  double period_s(const Tree& tree) const;
  // The same where each link carries that many copies of a slice.
  double routing_period_s(std::span<const std::int32_t> copies) const;

 private:
  template <typename Item>
  struct Rows {
    std::vector<Item> items;
    std::vector<std::size_t> first;
    std::span<const Item> row(std::int32_t index) const {
      const auto at = static_cast<std::size_t>(index);
      return std::span(items).subspan(first[at], first[at + 1] - first[at]);
    }
  };
  void check_links() const;
  void keep_uses(const std::vector<std::vector<Use>>& uses);
  Rows<std::int32_t> links_by(std::int32_t Link::* end) const;

  std::int32_t nodes_;
  std::int32_t resources_;
  std::vector<Link> links_;
  std::vector<double> send_s_;
  Rows<Use> uses_;
  Rows<std::int32_t> from_;
  Rows<std::int32_t> to_;
};

// Throws std::invalid_argument where it is no tree from the root to all nodes of the platform.
void check_tree(const SlicePlatform& platform, const Tree& tree);
void check_node(const SlicePlatform& platform, std::int32_t node);

// The root of a tree that has been checked.
std::int32_t root_of(const Tree& tree);
// The nodes, each after its parent; children by index.
std::vector<std::int32_t> top_down(const SlicePlatform& platform, const Tree& tree);

// How many links a slice crosses from the root to each node on the shortest way, -1 where none is.
std::vector<std::int32_t> hops_from(const SlicePlatform& platform, std::int32_t root);
// Throws std::invalid_argument, naming nodes, where the root does not reach all.
void check_reachable(const SlicePlatform& platform, std::int32_t root);

}  // namespace anabranch::platform
