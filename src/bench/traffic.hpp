// Bytes on the wire, as the kernel counts them: with headers and acknowledgements.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "bench/places.hpp"

namespace anabranch::bench {

// The same for ranks that share network devices.
inline std::size_t own_node() {
  std::array<char, 64> network{};
  const auto length = readlink("/proc/self/ns/net", network.data(), network.size() - 1);
  return own_place().kernel ^ (length > 0 ? std::hash<std::string>()(network.data()) : 0);
}

// By all devices of this node but the loopback.
inline std::int64_t sent_bytes() {
  constexpr int fields_before_sent = 8;
  std::ifstream devices("/proc/self/net/dev");
  std::int64_t sum = 0;
  for (std::string line; std::getline(devices, line);) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;  // a heading
    std::string name;
    std::istringstream(line.substr(0, colon)) >> name;
    if (name == "lo") continue;
    std::istringstream fields(line.substr(colon + 1));
    std::int64_t value = 0;
    for (int i = 0; i <= fields_before_sent && fields >> value; ++i) {
    }
    sum += value;
  }
  return sum;
}

struct NodeTraffic {
  std::size_t node = 0;
  std::int64_t sent_bytes = 0;
};

// Ranks of one node saw the same, if not at the same time.
inline std::int64_t sum_over_nodes(std::vector<NodeTraffic> ranks) {
  std::ranges::sort(ranks, {},
                    [](const NodeTraffic& each) { return std::pair(each.node, each.sent_bytes); });
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i + 1 == ranks.size() || ranks[i + 1].node != ranks[i].node) sum += ranks[i].sent_bytes;
  }
  return sum;
}

}  // namespace anabranch::bench
