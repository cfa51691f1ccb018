#include "model/machine.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace anabranch {
namespace {

void check_count(const std::string& what, std::size_t given, std::size_t expected) {
  if (given == 0 || given == expected) return;
  throw std::invalid_argument(what + " of the machine: " + std::to_string(given) + " given, " +
                              std::to_string(expected) + " expected");
}

}  // namespace

void check(const Machine& machine, std::int32_t ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  check_count("links", machine.links.size(), count * count);
  check_count("nodes of ranks", machine.node_of_rank.size(), count);
  if (machine.ports < 1) throw std::invalid_argument("a rank needs at least one port");
  if (machine.memory_messages < 0) {
    throw std::invalid_argument("a node's memory cannot hold " +
                                std::to_string(machine.memory_messages) +
                                " messages at once: give 1 or more, or 0 for any number");
  }
  if (!(machine.overhead_s >= 0 && std::isfinite(machine.overhead_s))) {
    throw std::invalid_argument("the overhead of a message is no finite time from 0 on");
  }
}

}  // namespace anabranch
