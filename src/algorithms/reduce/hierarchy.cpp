// Reduced within each node, then between the nodes to that of the root.
//
// When: several ranks share a node, and with it a port of the network.
// Cost: that of the components. Operands are combined node by node, out of order.
// Source: the field's; paper D, section 5, names it as future work.
#include "algorithms/hierarchy.hpp"
#include "algorithms/composition.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {
    component_parameter("within", "the reduction within a node", Collective::reduce,
                        best_within_a_node<Collective::reduce>),
    between_parameter<Collective::reduce>, leaders_parameter};

using Components = WithinAndBetween<Collective::reduce>;

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const Components components(values);
  const Nodes nodes(group);
  const bool is_root = group.rank == 0;
  Builder builder(nodes.ranks(), group.rank, 0, is_root ? block_count : 0);
  builder.input(block_count);
  Hierarchy hierarchy(builder, group.rank);
  // Partial results; only the root has an output.
  const auto held = [&](const Slice& slice) {
    return Place{is_root ? Buffer::output : Buffer::scratch, slice.begin};
  };
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    hierarchy.add_within(components.within, nodes, 0, leader, slice.count,
                         {{Buffer::input, slice.begin}, held(slice), held(slice)});
  });
  hierarchy.next_phase();
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    hierarchy.add(components.between, nodes.leaders(leader), slice.count,
                  {held(slice), held(slice), held(slice)});
  });
  hierarchy.next_phase();
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    hierarchy.add_message(nodes.leader(0, leader), 0,
                          blocks(slice.begin, slice.count, held(slice).buffer));
  });
  builder.set_rounds(std::max(hierarchy.rounds(), 1));
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  const Components components(values);
  const std::int32_t blocks = Components::blocks(problem, values);
  const Problem within = in_memory(within_node(problem));
  const auto others = static_cast<double>(components.leaders - 1);  // they send to the root
  const double rest = others / static_cast<double>(components.leaders);
  const double to_root_s =
      others * within.network.latency_s +
      rest * static_cast<double>(problem.size_bytes) * within.network.time_per_byte_s;
  return shares_time_s(components.within, within, blocks, components.leaders) +
         shares_time_s(components.between, between_nodes(problem, 1), blocks, components.leaders) +
         to_root_s;
}

}  // namespace

extern const Algorithm reduce_hierarchy = {
    .id = "reduce/hierarchy",
    .summary = "within nodes, then between them to the root's",
    .source = "paper D, section 5",
    .cost = "that of the components, for each leader's share",
    .collective = Collective::reduce,
    .parameters = parameters,
    .commutative_only = true,
    .needs_nodes = true,
    .blocks = Components::blocks,
    .make = generate,
    .cost_s = cost_s,
    .cost_slack = 4,  // with up to four leaders, whose shares overlap
    .cost_is_bound = true,
};

}  // namespace anabranch
