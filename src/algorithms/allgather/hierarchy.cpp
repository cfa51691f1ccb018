// Gathered within each node, exchanged between the nodes, and broadcast within each node.
//
// When: several ranks share a node, and with it a port of the network.
// Cost: that of the components. Between the nodes goes what all ranks of a node have: parts of
// several sizes, where nodes have several numbers of ranks.
// Source: the field's; paper D, section 5, names it as future work.
#include "algorithms/composition.hpp"
#include "algorithms/node_parts.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {
    component_parameter("gather", "the gather within a node", Collective::gather,
                        best_for_parts_of_a_node<Collective::gather>),
    between_parameter<Collective::allgather>,
    component_parameter("bcast", "the broadcast within a node", Collective::bcast,
                        best_within_a_node<Collective::bcast>),
    leaders_parameter};

using Components =
    CollectAndDistribute<Collective::gather, Collective::allgather, Collective::bcast>;

// All that is underway is held where it belongs in the output, which all ranks have.
Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const Components components(values);
  const Nodes nodes(group);
  const std::int32_t own = nodes.of(group.rank);
  Builder builder(nodes.ranks(), group.rank, 0, nodes.ranks() * block_count);
  builder.input(block_count);
  Hierarchy hierarchy(builder, group.rank);
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    const auto members = hierarchy.own_node(components.collect, nodes, 0, leader, slice.count);
    const auto table = parts_of(members, nodes.size(own), block_count, slice);
    hierarchy.add(components.collect, members, slice.count,
                  {{Buffer::input, slice.begin},
                   placed(Buffer::output, table),
                   placed(Buffer::output, table)});
  });
  hierarchy.next_phase();
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    const BlockTable all = parts_by_node(nodes, block_count, slice);
    const auto mine = parts_of(nodes.members(own), nodes.largest(), block_count, slice);
    hierarchy.add(
        components.between, nodes.leaders(leader), nodes.largest() * slice.count,
        {placed(Buffer::output, mine), placed(Buffer::output, all), placed(Buffer::output, all)});
  });
  hierarchy.next_phase();
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    const auto table = parts_of_all(nodes.ranks(), block_count, slice);
    const Place held = slice.count == block_count ? Place{} : placed(Buffer::output, table);
    hierarchy.add_within(components.distribute, nodes, 0, leader, nodes.ranks() * slice.count,
                         {.output = held});
  });
  builder.set_rounds(hierarchy.rounds());
  return std::move(builder).finish();
}

// Of a part: enough for the broadcast, as many for each leader.
std::int32_t block_count_for(const Problem& problem, Values values) {
  const Components components(values);
  return blocks_for_leaders(problem, components.distribute, components.leaders);
}

// As if all nodes had as many ranks as the largest: between the nodes its parts are the ones that
// others wait for.
double cost_s(const Problem& problem, Values values) {
  const Components components(values);
  const std::int32_t of_part = block_count_for(problem, values);
  const Problem broadcast = in_memory(within_node(in_whole_parts(problem)));
  const Problem within = parts_within_node(problem, problem.part_bytes());
  return shares_time_s(components.collect, within, of_part, components.leaders) +
         shares_time_s(components.between, parts_between_nodes(problem, within.size_bytes),
                       within.ranks * of_part, components.leaders) +
         shares_time_s(components.distribute, broadcast, problem.ranks * of_part,
                       components.leaders);
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
