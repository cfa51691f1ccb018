// What measurements say beyond the model, and from when on calls are worth serving.
#pragma once

#include <cstdint>
#include <string_view>

#include "collectives/collective.hpp"

namespace anabranch {

// Two trees have at most four neighbours per rank where the round-optimal schedule has 2 q, and are
// the faster ones where the model says that they cost little more.
constexpr double few_neighbours_may_cost = 1.065;

// The model does not know what several senders into one port cost each other, nor what it costs to
// wait for all of a long message. Algorithms whose ranks have few neighbours, or send parts
// straight to where they belong in segments, are the faster ones on a real network (16 nodes, TCP).
struct Preference {
  Collective collective;
  std::string_view id;
  double may_cost;  // of the cheapest one
  // Where it costs more, the cheapest one was no faster than the MPI beneath.
  bool or_native;
  std::int64_t native_up_to_bytes;  // on any network
  // The fastest where ranks share nodes, and with them their ports: bytes enter a node once.
  std::string_view on_shared_nodes = {};
};

// Parts of ranks that are shorter are not worth a message each: those of a node go together.
constexpr std::int64_t short_parts_bytes = 4096;

// Collectives that are not here are left to the MPI unless set.
constexpr Preference preferences[] = {
    {Collective::allgather, "allgather/ring", 1.1, true, 65536, "allgather/hierarchy"},
    {Collective::allreduce, "allreduce/ring", 1.1, true, 32768, "allreduce/hierarchy"},
    {Collective::alltoall, "alltoall/pairwise", 1.1, true, 262144},
    {Collective::bcast, "bcast/two_tree", few_neighbours_may_cost, false, 2048, "bcast/hierarchy"},
    {Collective::reduce, "reduce/chain", 1.3, false, 16384, "reduce/hierarchy"},
    {Collective::reduce_scatter, "reduce_scatter/ring", 1.1, true, 65536},
    {Collective::scatter, "scatter/linear", 1.1, true, 131072},
};

constexpr const Preference* preference_of(Collective collective) {
  for (const Preference& preference : preferences) {
    if (preference.collective == collective) return &preference;
  }
  return nullptr;
}

}  // namespace anabranch
