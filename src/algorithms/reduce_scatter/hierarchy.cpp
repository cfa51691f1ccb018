// Reduced within each node, reduced and scattered between the nodes, and scattered within each.
//
// When: several ranks share a node, and with it a port of the network.
// Cost: that of the components. Between the nodes a node gets what its ranks get: parts of several
// sizes, where nodes have several numbers of ranks. Operands are combined out of order.
// Source: the field's; paper D, section 5, names it as future work.
#include "algorithms/composition.hpp"
#include "algorithms/node_parts.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {
    component_parameter("reduce", "the reduction within a node", Collective::reduce,
                        best_within_a_node<Collective::reduce>),
    between_parameter<Collective::reduce_scatter>,
    component_parameter("scatter", "the scatter within a node", Collective::scatter,
                        best_for_parts_of_a_node<Collective::scatter>),
    leaders_parameter};

using Components =
    CollectAndDistribute<Collective::reduce, Collective::reduce_scatter, Collective::scatter>;

// In scratch memory lie what the node has combined and, behind it, what the nodes have.
Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const Components components(values);
  const Nodes nodes(group);
  const std::int32_t all_blocks = nodes.ranks() * block_count;
  Builder builder(nodes.ranks(), group.rank, 0, block_count);
  builder.input(all_blocks);
  Hierarchy hierarchy(builder, group.rank);
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    const BlockTable all = parts_of_all(nodes.ranks(), block_count, slice);
    const Place held = placed(Buffer::scratch, all);
    hierarchy.add_within(components.collect, nodes, 0, leader, nodes.ranks() * slice.count,
                         {placed(Buffer::input, all), held, held});
  });
  hierarchy.next_phase();
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    const BlockTable of_node = parts_by_node(nodes, block_count, slice);
    const BlockTable of_nodes = parts_by_node(nodes, block_count, slice, all_blocks);
    const BlockTable mine = parts_of(nodes.members(nodes.of(group.rank)), nodes.largest(),
                                     block_count, slice, all_blocks);
    hierarchy.add(components.between, nodes.leaders(leader), nodes.largest() * slice.count,
                  {placed(Buffer::scratch, of_node), placed(Buffer::scratch, mine),
                   placed(Buffer::scratch, of_nodes)});
  });
  hierarchy.next_phase();
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    const auto members = hierarchy.own_node(components.distribute, nodes, 0, leader, slice.count);
    const auto room = nodes.size(nodes.of(group.rank));
    const BlockTable table = parts_of(members, room, block_count, slice, all_blocks);
    const Place held = placed(Buffer::scratch, table);
    hierarchy.add(components.distribute, members, slice.count,
                  {held, {Buffer::output, slice.begin}, held});
  });
  builder.set_rounds(hierarchy.rounds());
  return std::move(builder).finish();
}

// Of a part: enough for the reduction, as many for each leader.
std::int32_t block_count_for(const Problem& problem, Values values) {
  const Components components(values);
  return blocks_for_leaders(problem, components.collect, components.leaders);
}

// As if all nodes had as many ranks as the largest: between the nodes its parts are the ones that
// others wait for.
double cost_s(const Problem& problem, Values values) {
  const Components components(values);
  const std::int32_t of_part = block_count_for(problem, values);
  const Problem reduced = in_memory(within_node(in_whole_parts(problem)));
  const Problem within = parts_within_node(problem, problem.part_bytes());
  return shares_time_s(components.collect, reduced, problem.ranks * of_part, components.leaders) +
         shares_time_s(components.between, parts_between_nodes(problem, within.size_bytes),
                       within.ranks * of_part, components.leaders) +
         shares_time_s(components.distribute, within, of_part, components.leaders);
}

}  // namespace

extern const Algorithm reduce_scatter_hierarchy = {
    .id = "reduce_scatter/hierarchy",
    .summary = "reduce within nodes, reduce-scatter between them, scatter within nodes",
    .source = "paper D, section 5",
    .cost = "that of the components, for each leader's share",
    .collective = Collective::reduce_scatter,
    .parameters = parameters,
    .commutative_only = true,
    .needs_nodes = true,
    .blocks = block_count_for,
    .make = generate,
    .cost_s = cost_s,
    .cost_slack = 4,  // with up to four leaders, whose shares overlap
    .cost_is_bound = true,
};

}  // namespace anabranch
