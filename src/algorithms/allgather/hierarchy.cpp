// Gathered within each node, exchanged between the nodes, and broadcast within each node.
//
// When: several ranks share a node, and with it a port of the network.
// Cost: that of the components. Between the nodes goes what all ranks of a node have: parts of
// several sizes, where nodes have several numbers of ranks.
// Source: the field's; paper D, section 5, names it as future work.
#include "algorithms/hierarchy.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "algorithms/composition.hpp"

namespace anabranch {
namespace {

// Of the parts of its ranks alone.
std::int64_t best_gather_within_a_node(const Problem& problem) {
  Problem of_node = problem;
  of_node.size_bytes = std::max(problem.nodes.largest, 1) * problem.part_bytes();
  return best_within_node(Collective::gather, of_node);
}

constexpr Parameter parameters[] = {
    component_parameter("gather", "the gather within a node", Collective::gather,
                        best_gather_within_a_node),
    between_parameter<Collective::allgather>,
    component_parameter("bcast", "the broadcast within a node", Collective::bcast,
                        best_within_a_node<Collective::bcast>),
    leaders_parameter};

using Components = CollectAndBroadcast<Collective::gather, Collective::allgather>;

// Where a slice of the parts of these ranks is in the result, one rank after the other; `room` for
// so many ranks, of which the last ones may lack.
std::vector<std::int32_t> blocks_of(std::span<const std::int32_t> members, std::int32_t room,
                                    std::int32_t block_count, const Slice& slice) {
  std::vector<std::int32_t> table;
  for (std::int32_t i = 0; i < room; ++i) {
    for (std::int32_t j = 0; j < slice.count; ++j) {
      const bool is_there = i < std::ssize(members);
      table.push_back(
          is_there ? members[static_cast<std::size_t>(i)] * block_count + slice.begin + j : -1);
    }
  }
  return table;
}

Place in_result(std::span<const std::int32_t> table) {
  return {.buffer = Buffer::output, .table = table};
}

// All that is underway is held where it belongs in the output, which all ranks have.
Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const Components components(values);
  const Nodes nodes(group);
  const std::int32_t own = nodes.of(group.rank);
  Builder builder(nodes.ranks(), group.rank, 0, nodes.ranks() * block_count);
  builder.input(block_count);
  Hierarchy hierarchy(builder, group.rank);
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    for (std::int32_t node = 0; node < nodes.count(); ++node) {
      const auto members = nodes.led_by(node, leader);
      const auto table = blocks_of(members, nodes.size(node), block_count, slice);
      hierarchy.add(components.collect, members, slice.count,
                    {{Buffer::input, slice.begin}, in_result(table), in_result(table)});
    }
  });
  hierarchy.next_phase();
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    std::vector<std::int32_t> all;
    for (std::int32_t node = 0; node < nodes.count(); ++node) {
      const auto of_node = blocks_of(nodes.members(node), nodes.largest(), block_count, slice);
      all.insert(all.end(), of_node.begin(), of_node.end());
    }
    const auto mine = blocks_of(nodes.members(own), nodes.largest(), block_count, slice);
    hierarchy.add(components.between, nodes.leaders(leader), nodes.largest() * slice.count,
                  {in_result(mine), in_result(all), in_result(all)});
  });
  hierarchy.next_phase();
  std::vector<std::int32_t> everybody(static_cast<std::size_t>(group.ranks));
  std::iota(everybody.begin(), everybody.end(), 0);
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    const auto table = blocks_of(everybody, nodes.ranks(), block_count, slice);
    const Place held = slice.count == block_count ? Place{} : in_result(table);
    hierarchy.add_within(components.bcast, nodes, 0, leader, nodes.ranks() * slice.count,
                         {.output = held});
  });
  builder.set_rounds(hierarchy.rounds());
  return std::move(builder).finish();
}

// Of a part: enough for the broadcast, as many for each leader.
std::int32_t block_count_for(const Problem& problem, Values values) {
  const Components components(values);
  const std::int64_t segments = Component{components.bcast}.blocks(within_node(problem));
  const std::int64_t of_part = (segments + problem.ranks - 1) / problem.ranks;
  const std::int64_t most = std::max(maximum_blocks / problem.ranks, 1);
  return static_cast<std::int32_t>(std::min(of_part * components.leaders, most));
}

// As if all nodes had as many ranks as the largest: between the nodes its parts are the ones that
// others wait for.
double cost_s(const Problem& problem, Values values) {
  const Components components(values);
  const std::int32_t of_part = block_count_for(problem, values);
  Problem within = in_memory(within_node(in_whole_parts(problem)));
  const std::int64_t node_bytes = within.ranks * problem.part_bytes();
  const double bcast_s =
      shares_time_s(components.bcast, within, problem.ranks * of_part, components.leaders);
  within.size_bytes = node_bytes;
  Problem between = between_nodes(problem, 1);
  between.size_bytes = between.ranks * node_bytes;
  return shares_time_s(components.collect, within, of_part, components.leaders) +
         shares_time_s(components.between, between, within.ranks * of_part, components.leaders) +
         bcast_s;
}

}  // namespace

extern const Algorithm allgather_hierarchy = {
    .id = "allgather/hierarchy",
    .summary = "gather within nodes, allgather between them, broadcast within nodes",
    .source = "paper D, section 5",
    .cost = "that of the components, for each leader's share",
    .collective = Collective::allgather,
    .parameters = parameters,
    .needs_nodes = true,
    .blocks = block_count_for,
    .make = generate,
    .cost_s = cost_s,
    .cost_slack = 4,  // with up to four leaders, whose shares overlap
    .cost_is_bound = true,
};

}  // namespace anabranch
