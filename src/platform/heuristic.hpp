// Heuristics for one good broadcast tree: a descriptor each, from which the rest is made.
//
// To add one, write platform/heuristics/<name>.cpp with its descriptor, and one row in list.inc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "platform/slice_platform.hpp"

namespace anabranch::platform {

struct TreeRequest {
  const SlicePlatform& platform;
  std::int32_t root = 0;
  // Slices per link and unit of time in an optimum of many trees; none where it is not needed.
  std::span<const double> load = {};
};

struct Routing {
  Tree tree;
  // How many copies of each slice a link carries, if not one over those of the tree alone: paths
  // between members of the binomial tree may share links.
  std::vector<std::int32_t> copies;
};

// Models by the names of the Python package's Platform.price.
inline constexpr std::string_view one_port = "one_port";
inline constexpr std::string_view one_port_unidirectional = "one_port_unidirectional";
inline constexpr std::string_view multi_port = "multi_port";
inline constexpr std::string_view capacity = "capacity";
inline constexpr std::string_view all_models[] = {one_port, one_port_unidirectional, multi_port,
                                                  capacity};

struct Heuristic {
  std::string_view id;       // "tree/grow": tree, slash, file name
  std::string_view summary;  // one line
  std::string_view source;   // paper and section
  std::string_view cost;     // time it takes; V nodes, E links
  // Those that it was made for; it gives a tree for every platform.
  std::span<const std::string_view> models = all_models;
  bool needs_load = false;
  // The root reaches all nodes, the load has its size.
  Routing (*build)(const TreeRequest&) = nullptr;
};

// All heuristics, ordered by id.
std::span<const Heuristic* const> all_heuristics();

// Throws std::invalid_argument: no such id (the valid ones are named), nodes out of reach, a load
// that is missing or does not fit.
Routing build_routing(std::string_view id, const TreeRequest& request);

}  // namespace anabranch::platform
