#include "algorithms/node_parts.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/composition.hpp"

namespace anabranch {

BlockTable parts_of(std::span<const std::int32_t> members, std::int32_t room,
                    std::int32_t block_count, const Slice& slice, std::int32_t base) {
  BlockTable table;
  table.reserve(static_cast<std::size_t>(room) * static_cast<std::size_t>(slice.count));
  for (std::int32_t i = 0; i < room; ++i) {
    for (std::int32_t j = 0; j < slice.count; ++j) {
      const bool is_there = i < std::ssize(members);
      table.push_back(is_there ? base + members[static_cast<std::size_t>(i)] * block_count +
                                     slice.begin + j
                               : -1);
    }
  }
  return table;
}

BlockTable parts_by_node(const Nodes& nodes, std::int32_t block_count, const Slice& slice,
                         std::int32_t base) {
  BlockTable all;
  for (std::int32_t node = 0; node < nodes.count(); ++node) {
    const BlockTable own = parts_of(nodes.members(node), nodes.largest(), block_count, slice, base);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

BlockTable parts_of_all(std::int32_t ranks, std::int32_t block_count, const Slice& slice,
                        std::int32_t base) {
  std::vector<std::int32_t> everybody(static_cast<std::size_t>(ranks));
  std::iota(everybody.begin(), everybody.end(), 0);
  return parts_of(everybody, ranks, block_count, slice, base);
}

std::vector<std::int32_t> leaders_with_root(const Nodes& nodes, std::int32_t leader) {
  std::vector<std::int32_t> group = nodes.leaders(leader);
  group.front() = 0;
  return group;
}

std::int64_t ranks_of_a_node(const Problem& problem) { return std::max(problem.nodes.largest, 1); }

Problem parts_within_node(const Problem& problem, std::int64_t bytes_of_a_rank) {
  Problem within = in_memory(within_node(problem));
  within.size_bytes = within.ranks * bytes_of_a_rank;
  return within;
}

Problem parts_between_nodes(const Problem& problem, std::int64_t bytes_of_a_node) {
  Problem between = between_nodes(problem, 1);
  between.size_bytes = between.ranks * bytes_of_a_node;
  return between;
}

std::int32_t blocks_for_leaders(const Problem& problem, std::int64_t leaders) {
  const std::int64_t most = std::max(maximum_blocks / problem.ranks, 1);
  return static_cast<std::int32_t>(std::min(leaders, most));
}

std::int32_t blocks_for_leaders(const Problem& problem, const Algorithm& within,
                                std::int64_t leaders) {
  const std::int64_t segments = Component{within}.blocks(within_node(problem));
  return blocks_for_leaders(problem, (segments + problem.ranks - 1) / problem.ranks * leaders);
}

}  // namespace anabranch
