// Reduced within each node, combined between the nodes, and broadcast within each node.
//
// When: several ranks share a node, and with it a port of the network.
// Cost: that of the components. Operands are combined node by node, out of order.
// Source: the field's; paper D, section 5, names it as future work.
#include "algorithms/hierarchy.hpp"

#include <algorithm>
#include <array>

#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {
namespace {

bool is_cheaper_with_all_leading(const Problem& problem);

// All ranks lead, and binomial trees collect and spread the shares, which have the fewest messages.
template <const Algorithm& tree>
std::int64_t within_a_node(const Problem& problem) {
  if (is_cheaper_with_all_leading(problem)) return index_of(tree);
  return best_within_node(tree.collective, problem);
}

std::int64_t most_leaders(const Problem& problem) { return std::max(problem.nodes.largest, 1); }

std::int64_t few_leaders(const Problem& problem) {
  // Combining takes the time of a processor: more of them do it where there are.
  return std::min<std::int64_t>(most_leaders(problem), 4);
}

std::int64_t default_leaders(const Problem& problem) {
  return is_cheaper_with_all_leading(problem) ? most_leaders(problem) : few_leaders(problem);
}

constexpr Parameter parameters[] = {
    component_parameter("reduce", "the reduction within a node", Collective::reduce,
                        within_a_node<reduce_binomial>),
    between_parameter<Collective::allreduce>,
    component_parameter("bcast", "the broadcast within a node", Collective::bcast,
                        within_a_node<bcast_binomial>),
    leaders_by(default_leaders)};

using Components =
    CollectAndDistribute<Collective::reduce, Collective::allreduce, Collective::bcast>;

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
  within_each(components.distribute,
              [&](const Slice& slice) { return Relocation{.output = held(slice)}; });
  builder.set_rounds(hierarchy.rounds());
  return std::move(builder).finish();
}

std::int32_t block_count_for(const Problem& problem, Values values) {
  const Components components(values);
  const Algorithm* const within[] = {&components.collect, &components.distribute};
  return hierarchy_blocks(problem, within, components.between, components.leaders);
}

double cost_s(const Problem& problem, Values values) {
  const Components components(values);
  const std::int32_t blocks = block_count_for(problem, values);
  const Problem within = in_memory(within_node(problem));
  return shares_time_s(components.collect, within, blocks, components.leaders) +
         shares_time_s(components.between, between_nodes(problem, 1), blocks, components.leaders) +
         shares_time_s(components.distribute, within, blocks, components.leaders);
}

// Without the gap of messages nobody knows what many of them at once take.
bool is_cheaper_with_all_leading(const Problem& problem) {
  if (problem.network.gap_s == 0) return false;
  const std::int64_t between = best_between_nodes(Collective::allreduce, problem);
  const std::array few = {best_within_node(Collective::reduce, problem), between,
                          best_within_node(Collective::bcast, problem), few_leaders(problem)};
  const std::array all = {index_of(reduce_binomial), between, index_of(bcast_binomial),
                          most_leaders(problem)};
  return cost_s(problem, all) <= cost_s(problem, few);
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
