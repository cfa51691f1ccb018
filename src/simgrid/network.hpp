// The network of SimGrid for a cluster.
#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "simgrid/cluster.hpp"

namespace anabranch {

// The hosts, by node. To be called once in a process, before the engine runs.
std::vector<simgrid::s4u::Host*> build(const Cluster& cluster);

// What makes SimGrid share links evenly and at their full rates: its defaults are those of TCP.
// resolution_s: as in a cluster.
void configure(double resolution_s);

}  // namespace anabranch
