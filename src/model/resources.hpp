// What messages occupy while they travel: ports between nodes, unless they share links there; ranks
// and memory within nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/machine.hpp"

namespace anabranch {

class Resources {
 public:
  using Index = std::uint32_t;

  // What a message from one rank to another occupies, all of it or nothing.
  class Route {
   public:
    void add(Index resource) { indices_[count_++] = resource; }
    std::span<const Index> all() const { return {indices_.data(), count_}; }

   private:
    std::array<Index, 3> indices_{};
    std::size_t count_ = 0;
  };

  Resources(std::int32_t ranks, const Machine& machine);

  std::size_t count() const { return resources_.size(); }
  Route route(std::int32_t src, std::int32_t dst) const;
  bool are_free(const Route& route) const;
  void occupy(const Route& route);
  void release(const Route& route);

 private:
  struct Resource {
    std::int32_t capacity;  // messages at a time
    std::int32_t used = 0;
  };

  std::int32_t node_of(std::int32_t rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  Index add(std::int32_t number, std::int32_t capacity);

  // Pairs, to send and to receive, one for each node or rank.
  static Index sending(Index first, std::int32_t of) { return first + 2 * static_cast<Index>(of); }
  static Index receiving(Index first, std::int32_t of) { return sending(first, of) + 1; }

  std::vector<std::int32_t> nodes_;  // of each rank, from 0 on
  std::vector<Resource> resources_;
  Index first_port_ = 0;
  Index first_rank_ = 0;
  Index first_memory_ = 0;
  bool is_memory_limited_ = false;
  bool has_flows_ = false;
};

}  // namespace anabranch
