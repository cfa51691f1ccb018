// When which link is busy, so that each node sends to one and receives from one at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "platform/slice_platform.hpp"

namespace anabranch::platform {

// A stretch of the period in which the same links are busy throughout; no two of them share a
// sender, and no two a receiver.
struct Phase {
  double start_s = 0;
  double duration_s = 0;
  std::vector<std::int32_t> links;
};

// A period of the bidirectional one-port model in which each link is busy for busy_s: its length is
// the largest sum of a sender or a receiver, so it repeats without loss. At most two phases per
// busy link and node. Times are rounded to 2^-40 of the period.
// Source: the bipartite graph of senders and receivers, weighted with times, is coloured as Konig
// shows and Birkhoff and von Neumann decompose matrices; a half-duplex platform is not bipartite.
// Throws std::invalid_argument: not one time per link, or one negative or not finite.
std::vector<Phase> one_port_schedule(const SlicePlatform& platform, std::span<const double> busy_s);

// How long each link is busy for so many slices along each tree.
std::vector<double> busy_times_s(const SlicePlatform& platform, std::span<const Tree> trees,
                                 std::span<const double> slices);

}  // namespace anabranch::platform
