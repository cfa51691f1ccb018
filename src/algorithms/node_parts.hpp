// Where the parts of ranks lie in buffers that have a part for each rank, for algorithms over nodes
// that move the parts of a node together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/hierarchy.hpp"
#include "schedule/relocation.hpp"

namespace anabranch {

using BlockTable = std::vector<std::int32_t>;

// A slice of the parts of these ranks, one rank after the other, in a buffer that has the parts of
// all ranks from block `base` on; `room` for so many ranks, of which the last ones may lack.
BlockTable parts_of(std::span<const std::int32_t> members, std::int32_t room,
                    std::int32_t block_count, const Slice& slice, std::int32_t base = 0);

// Of the ranks of all nodes, node by node, with room for the largest.
BlockTable parts_by_node(const Nodes& nodes, std::int32_t block_count, const Slice& slice,
                         std::int32_t base = 0);

// Of all ranks in their order.
BlockTable parts_of_all(std::int32_t ranks, std::int32_t block_count, const Slice& slice,
                        std::int32_t base = 0);

inline Place placed(Buffer buffer, std::span<const std::int32_t> table) {
  return {.buffer = buffer, .table = table};
}

// One leader of each node, where the root is its node's only one.
std::vector<std::int32_t> leaders_with_root(const Nodes& nodes, std::int32_t leader);

// The problem of a component that moves so many bytes of each rank of the largest node, through its
// memory: of prices, not of choices.
Problem parts_within_node(const Problem& problem, std::int64_t bytes_of_a_rank);
// Between the nodes, where each has as many bytes as the largest.
Problem parts_between_nodes(const Problem& problem, std::int64_t bytes_of_a_node);
std::int64_t ranks_of_a_node(const Problem& problem);

// The component within a node that serves best where each rank has its part alone.
template <Collective collective>
std::int64_t best_for_parts_of_a_node(const Problem& problem) {
  Problem of_node = problem;
  of_node.size_bytes = ranks_of_a_node(problem) * problem.part_bytes();
  return best_within_node(collective, of_node);
}

// Algorithm::blocks where parts stay whole: one for each leader.
std::int32_t blocks_for_leaders(const Problem& problem, std::int64_t leaders);
// The same where a component within nodes moves the parts of all: enough for its segments.
std::int32_t blocks_for_leaders(const Problem& problem, const Algorithm& within,
                                std::int64_t leaders);

// The values of a hierarchy's parameters where all that a node's ranks send to the root, or get
// from it, goes together.
template <Collective collective>
struct PartsWithinAndBetween : WithinAndBetween<collective> {
  using WithinAndBetween<collective>::WithinAndBetween;

  static std::int32_t blocks(const Problem& problem, Values values) {
    return blocks_for_leaders(problem, PartsWithinAndBetween(values).leaders);
  }
  // As if all nodes had as many ranks as the largest, for which the others wait.
  static double cost_s(const Problem& problem, Values values) {
    const PartsWithinAndBetween components(values);
    const std::int32_t of_part = blocks(problem, values);
    const Problem within = parts_within_node(problem, problem.part_bytes());
    return shares_time_s(components.within, within, of_part, components.leaders) +
           shares_time_s(components.between, parts_between_nodes(problem, within.size_bytes),
                         within.ranks * of_part, components.leaders);
  }
};

}  // namespace anabranch
