// Scattered from the root to one rank of each node, and from there within the nodes.
//
// When: short parts, where several ranks share a node, and with it a port of the network.
// Cost: that of the components. Between the nodes goes what all ranks of a node get: parts of
// several sizes, where nodes have several numbers of ranks. The root leads its node alone.
// Source: the field's; paper D, section 5, names it as future work.
#include "algorithms/node_parts.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {
    component_parameter("within", "the scatter within a node", Collective::scatter,
                        best_for_parts_of_a_node<Collective::scatter>),
    between_parameter<Collective::scatter>, leaders_parameter};

using Components = PartsWithinAndBetween<Collective::scatter>;

// What is underway lies in scratch memory where it would be in the root's input.
Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const Components components(values);
  const Nodes nodes(group);
  const bool is_root = group.rank == 0;
  const Buffer held = is_root ? Buffer::input : Buffer::scratch;
  Builder builder(nodes.ranks(), group.rank, 0, block_count);
  if (is_root) builder.input(nodes.ranks() * block_count);
  Hierarchy hierarchy(builder, group.rank);
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    const BlockTable all = parts_by_node(nodes, block_count, slice);
    const BlockTable mine =
        parts_of(nodes.members(nodes.of(group.rank)), nodes.largest(), block_count, slice);
    hierarchy.add(components.between, leaders_with_root(nodes, leader),
                  nodes.largest() * slice.count,
                  {placed(Buffer::input, all), placed(held, mine), placed(Buffer::scratch, all)});
  });
  hierarchy.next_phase();
  const auto scatter_within = [&](std::span<const std::int32_t> members, const Slice& slice) {
    const auto room = static_cast<std::int32_t>(members.size());
    const BlockTable table = parts_of(members, room, block_count, slice);
    hierarchy.add(
        components.within, members, slice.count,
        {placed(held, table), {Buffer::output, slice.begin}, placed(Buffer::scratch, table)});
  };
  scatter_within(nodes.members(0), Slice(block_count, 0, 1));
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    scatter_within(hierarchy.own_node(components.within, nodes, 1, leader, slice.count), slice);
  });
  builder.set_rounds(hierarchy.rounds());
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm scatter_hierarchy = {
    .id = "scatter/hierarchy",
    .summary = "scatter between nodes, then within them",
    .source = "paper D, section 5",
    .cost = "that of the components, for each leader's share",
    .collective = Collective::scatter,
    .parameters = parameters,
    .needs_nodes = true,
    .blocks = Components::blocks,
    .make = generate,
    .cost_s = Components::cost_s,
    .cost_slack = 6,  // of nodes with few ranks beside one with many
    .cost_is_bound = true,
};

}  // namespace anabranch
