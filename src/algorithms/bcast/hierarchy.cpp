// Within the root's node, between the nodes, and within the other nodes, by any broadcasts.
//
// When: several ranks share a node, and with it a port of the network.
// Cost: that of the components. Paper C's broadcast of medium messages is
// bcast/hierarchy:within=binomial,between=scatter_ring_allgather, or with scatter_ring_tuned.
// Source: paper C, section I ("mmsg-npof2").
#include "algorithms/hierarchy.hpp"
#include "algorithms/composition.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {
    component_parameter("within", "the broadcast within a node", Collective::bcast,
                        best_within_a_node<Collective::bcast>),
    between_parameter<Collective::bcast>, leaders_parameter};

using Components = WithinAndBetween<Collective::bcast>;

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const Components components(values);
  const Nodes nodes(group);
  Builder builder(nodes.ranks(), group.rank, 0, block_count);
  Hierarchy hierarchy(builder, group.rank);
  hierarchy.add(components.within, nodes.members(0), block_count, {});
  hierarchy.next_phase();
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    hierarchy.add(components.between, nodes.leaders(leader), slice.count,
                  {.output = {Buffer::output, slice.begin}});
  });
  hierarchy.next_phase();
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    hierarchy.add_within(components.within, nodes, 1, leader, slice.count,
                         {.output = {Buffer::output, slice.begin}});
  });
  builder.set_rounds(hierarchy.rounds());
  return std::move(builder).finish();
}

// The root's node broadcasts all of it, the others the shares of the leaders.
double cost_s(const Problem& problem, Values values) {
  const Components components(values);
  const std::int32_t blocks = Components::blocks(problem, values);
  const Problem within = in_memory(within_node(problem));
  const double within_root_s = Component{components.within}.cost_in_blocks_s(within, blocks);
  if (problem.nodes.count <= 1) return within_root_s;
  return within_root_s +
         shares_time_s(components.between, between_nodes(problem, 1), blocks, components.leaders) +
         shares_time_s(components.within, within, blocks, components.leaders);
}

}  // namespace

extern const Algorithm bcast_hierarchy = {
    .id = "bcast/hierarchy",
    .summary = "within the root's node, between nodes, within the other nodes",
    .source = "paper C, section I",
    .cost = "twice that of `within`, and that of `between`, for each leader's share",
    .collective = Collective::bcast,
    .parameters = parameters,
    .needs_nodes = true,
    .blocks = Components::blocks,
    .make = generate,
    .cost_s = cost_s,
    .cost_slack = 4,  // with up to four leaders, whose shares overlap
    .cost_is_bound = true,
};

}  // namespace anabranch
