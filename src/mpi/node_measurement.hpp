// How long the ranks of a node take that all send at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"
#include "platform/node_capacity.hpp"

namespace anabranch::mpi {

inline constexpr std::size_t most_pairs = 8;

// Ranks of one message that is measured.
struct Ends {
  int first = 0;
  int second = 0;  // the same: there is no such pair
};

// Ranks of the one node with ranks of the other, evenly spaced on each: at most most_pairs, as the
// messages by which they begin and end count.
std::vector<Ends> pairs_between(const Ends& nodes, const std::vector<std::int64_t>& node_of_rank);
// Of neighbours on the node of this rank.
std::vector<Ends> pairs_within(int on_node, const std::vector<std::int64_t>& node_of_rank);

// The first ranks of the pairs share a node, and send at once. Says what it takes in `found`, whose
// other fields are given; on the first rank of all, but all ranks may call it. An MPI error code.
int measure_at_once(std::span<const Ends> pairs, int tag, const Communicator& communicator,
                    platform::MessagesAtOnce& found);

}  // namespace anabranch::mpi
