// Where ranks may be: the layouts over nodes for which hierarchies are verified.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace anabranch::verify {

// The node of each rank, relative to the root.
using NodeLayout = std::vector<std::int64_t>;

// All on one node, each on its own, in blocks, in turn, and some at random, others for each number
// of ranks; distinct ones.
std::vector<NodeLayout> node_layouts(std::int32_t ranks);

// The problem with the nodes of the layout.
Problem on_nodes(Problem problem, const NodeLayout& layout);

// The defaults for some sizes; each part on its own replaced by all algorithms that fit; several
// leaders.
std::vector<std::vector<std::int64_t>> part_values(const Algorithm& algorithm,
                                                   const std::vector<Problem>& problems);

// "nodes 0 0 1".
std::string text_of(const NodeLayout& layout);

}  // namespace anabranch::verify
