// What measurements say beyond the model.
#pragma once

#include <string_view>

namespace anabranch {

// The model does not know what several senders into one port cost each other. Two trees have at
// most four neighbours per rank where the round-optimal schedule has 2 q, and are the faster ones
// on a real network (16 nodes, TCP: from 64 KiB on) where the model says that they cost little
// more.
constexpr std::string_view few_neighbours = "bcast/two_tree";
constexpr double few_neighbours_may_cost = 1.065;

}  // namespace anabranch
