// Reduced within each node, combined between the nodes, and broadcast within each node.
//
// When: several ranks share a node, and with it a port of the network.
// Cost: that of the components. Operands are combined node by node, out of order.
// Source: the field's; paper D, section 5, names it as future work.
#include "algorithms/hierarchy.hpp"

#include <algorithm>

#include "algorithms/composition.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {
    component_parameter("reduce", "the reduction within a node", Collective::reduce,
                        best_within_a_node<Collective::reduce>),
    between_parameter<Collective::allreduce>,
    component_parameter("bcast", "the broadcast within a node", Collective::bcast,
                        best_within_a_node<Collective::bcast>),
    // Combining takes the time of a processor: more of them do it where there are.
    leaders_by([](const Problem& problem) -> std::int64_t {
      return std::clamp(problem.nodes.largest, 1, 4);
    })};

using Components = CollectAndBroadcast<Collective::reduce, Collective::allreduce>;

// Partial results are held in the output of all ranks.
Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const Components components(values);
  const Nodes nodes(group);
  Builder builder(nodes.ranks(), group.rank, 0, block_count);
  builder.input(block_count);
  Hierarchy hierarchy(builder, group.rank);
  const auto held = [](const Slice& slice) { return Place{Buffer::output, slice.begin}; };
  const auto within_each = [&](const Algorithm& algorithm, auto relocation) {
    for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
      hierarchy.add_within(algorithm, nodes, 0, leader, slice.count, relocation(slice));
    });
    hierarchy.next_phase();
  };
  within_each(components.collect, [&](const Slice& slice) {
    return Relocation{{Buffer::input, slice.begin}, held(slice), held(slice)};
  });
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    hierarchy.add(components.between, nodes.leaders(leader), slice.count,
                  {held(slice), held(slice), {Buffer::scratch, slice.begin}});
  });
  hierarchy.next_phase();
  within_each(components.bcast,
              [&](const Slice& slice) { return Relocation{.output = held(slice)}; });
  builder.set_rounds(hierarchy.rounds());
  return std::move(builder).finish();
}

std::int32_t block_count_for(const Problem& problem, Values values) {
  const Components components(values);
  const Algorithm* const within[] = {&components.collect, &components.bcast};
  return hierarchy_blocks(problem, within, components.between, components.leaders);
}

double cost_s(const Problem& problem, Values values) {
  const Components components(values);
  const std::int32_t blocks = block_count_for(problem, values);
  const Problem within = in_memory(within_node(problem));
  return shares_time_s(components.collect, within, blocks, components.leaders) +
         shares_time_s(components.between, between_nodes(problem, 1), blocks, components.leaders) +
         shares_time_s(components.bcast, within, blocks, components.leaders);
}

}  // namespace

extern const Algorithm allreduce_hierarchy = {
    .id = "allreduce/hierarchy",
    .summary = "reduce within nodes, allreduce between them, broadcast within nodes",
    .source = "paper D, section 5",
    .cost = "that of the components, for each leader's share",
    .collective = Collective::allreduce,
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
