// The network that a collective is priced on.
//
// Hockney's model with ports: a message of m bytes occupies a sending port of one rank and a
// receiving port of the other, both for latency_s + m * time_per_byte_s. With one port of each kind
// this is the one-port full-duplex model of papers A, B and D.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace anabranch {

struct Link {
  double latency_s = 0;
  double time_per_byte_s = 0;

  double duration_s(std::int64_t size_bytes) const {
    return latency_s + static_cast<double>(size_bytes) * time_per_byte_s;
  }
};

// When a message may travel, besides both ports being free and the sender having it.
enum class Delivery : std::uint8_t {
  synchronous,  // once the receiver has arrived and posted its receive (paper A: blocking)
  buffered,     // at once; it waits at the receiver (paper A: non-blocking)
};

struct Machine {
  Link link;                // of every pair, unless `links` is given
  std::vector<Link> links;  // empty, or one per ordered pair: src * ranks + dst
  std::int32_t ports = 1;   // messages that a rank sends at once, and as many that it receives
  Delivery delivery = Delivery::synchronous;

  const Link& between(std::int32_t src, std::int32_t dst, std::int32_t ranks) const {
    if (links.empty()) return link;
    return links[static_cast<std::size_t>(src) * static_cast<std::size_t>(ranks) +
                 static_cast<std::size_t>(dst)];
  }
};

inline Machine machine_of(const Network& network) {
  Machine machine;
  machine.link = {network.latency_s, network.time_per_byte_s};
  return machine;
}

}  // namespace anabranch
