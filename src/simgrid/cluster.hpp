// A network of nodes for a simulation. Rates are in bytes per second.
//
// Every node has a port: a link out and a link in. Between the ports there is one of these; with
// routes, ports are among the links:
//   crossbar     nothing that limits: one switch, however many nodes
//   fat_tree     leaf switches with as many nodes each. All links of a leaf to the rest of the tree
//                are one, up and down, as traffic that spreads evenly over them sees them
//   dragonfly    groups of switches with as many nodes each. A link joins any two switches of a
//                group, and one any two groups, which ends at one switch of either
//   torus        links between neighbours in each dimension; a message goes dimension by dimension
//   routes       any links, and those that each pair of nodes uses
#pragma once

#include <cstdint>
#include <vector>

namespace anabranch {

struct Cluster {
  enum class Shape : std::uint8_t { crossbar, fat_tree, dragonfly, torus, routes };
  struct Route {
    std::int32_t src;
    std::int32_t dst;
    std::vector<std::size_t> links;
  };

  Shape shape = Shape::crossbar;
  std::vector<std::int32_t> extent;  // from the outside in; the product is the number of nodes
  double port_rate = 0;
  double memory_rate = 0;  // of a node, for messages between its ranks
  double global_rate = 0;  // of a leaf's link, and of a link between groups
  double local_rate = 0;   // of links within a group, and of a torus
  std::vector<double> link_rates = {};
  std::vector<Route> routes = {};
  // Between nodes, row by row; empty: as the network of a simulation says.
  std::vector<double> latencies_s = {};
  // Events closer than this happen at one moment: shares of the links are found anew for each
  // moment.
  double resolution_s = 0;

  std::int32_t nodes() const {
    std::int32_t product = 1;
    for (const std::int32_t each : extent) product *= each;
    return product;
  }
  // Messages between nodes of two groups go over global links.
  bool has_groups() const { return shape == Shape::fat_tree || shape == Shape::dragonfly; }
  std::int32_t group_of(std::int32_t node) const {
    return has_groups() ? node / (nodes() / extent.front()) : 0;
  }
};

}  // namespace anabranch
