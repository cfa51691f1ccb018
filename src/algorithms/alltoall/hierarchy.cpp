// Gathered within each node, exchanged between the nodes, and scattered within each node.
//
// When: short parts of one size, where several ranks share a node: a message for each pair of nodes
// in place of one for each pair of ranks. Inner ranks hold all that goes out of their node and all
// that comes in. Cost: that of the components.
// Source: the field's; paper D, section 5, names it as future work.
#include <algorithm>

#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/node_parts.hpp"

namespace anabranch {
namespace {

// What the ranks of a node send to all ranks.
Problem of_a_node(const Problem& problem) {
  Problem of_node = problem;
  of_node.size_bytes = ranks_of_a_node(problem) * in_whole_parts(problem).size_bytes;
  return of_node;
}

template <Collective collective>
std::int64_t best_within_nodes(const Problem& problem) {
  return best_within_node(collective, of_a_node(problem));
}

constexpr Parameter parameters[] = {
    component_parameter("gather", "the gather within a node", Collective::gather,
                        best_within_nodes<Collective::gather>),
    // Others would send the parts of a pair of ranks by themselves.
    component_parameter("between", "the algorithm between leaders of nodes", Collective::alltoall,
                        [](const Problem&) { return index_of(alltoall_all_at_once); }),
    component_parameter("scatter", "the scatter within a node", Collective::scatter,
                        best_within_nodes<Collective::scatter>),
    leaders_parameter};

using Components =
    CollectAndDistribute<Collective::gather, Collective::alltoall, Collective::scatter>;

// Scratch memory has for each rank of the node the parts that it sends to all ranks and, behind
// them, for each the parts that it gets from all.
class Held {
 public:
  Held(const Nodes& nodes, std::int32_t node, std::int32_t block_count)
      : nodes_(nodes), node_(node), block_count_(block_count) {}

  // Of these ranks of the node, one after the other.
  BlockTable to_all(std::span<const std::int32_t> members, const Slice& slice) const {
    return of_all(members, slice, 0);
  }
  BlockTable from_all(std::span<const std::int32_t> members, const Slice& slice) const {
    return of_all(members, slice, nodes_.size(node_));
  }

  // By node: from each rank of this one to each of that one, with room for the largest nodes.
  BlockTable sent(const Slice& slice) const {
    return by_node(slice, [&](std::int32_t other, std::int32_t from, std::int32_t to) {
      return at(from, other, to, 0);
    });
  }
  BlockTable received(const Slice& slice) const {
    return by_node(slice, [&](std::int32_t other, std::int32_t from, std::int32_t to) {
      return at(to, other, from, nodes_.size(node_));
    });
  }

 private:
  std::int32_t first_of(std::int32_t place) const { return place * nodes_.ranks() * block_count_; }
  // The first block of what rank number `own` of the node shares with number `theirs` of another
  // one; -1: one of them lacks.
  std::int32_t at(std::int32_t own, std::int32_t other, std::int32_t theirs,
                  std::int32_t behind) const {
    if (own >= nodes_.size(node_) || theirs >= nodes_.size(other)) return -1;
    return first_of(behind + own) +
           nodes_.members(other)[static_cast<std::size_t>(theirs)] * block_count_;
  }

  BlockTable of_all(std::span<const std::int32_t> members, const Slice& slice,
                    std::int32_t behind) const {
    BlockTable table;
    for (const std::int32_t member : members) {
      const auto own = nodes_.members(node_);
      const auto place = static_cast<std::int32_t>(std::ranges::find(own, member) - own.begin());
      const BlockTable parts =
          parts_of_all(nodes_.ranks(), block_count_, slice, first_of(behind + place));
      table.insert(table.end(), parts.begin(), parts.end());
    }
    return table;
  }

  template <typename At>
  BlockTable by_node(const Slice& slice, At first_at) const {
    BlockTable table;
    for (std::int32_t other = 0; other < nodes_.count(); ++other) {
      for (std::int32_t from = 0; from < nodes_.largest(); ++from) {
        for (std::int32_t to = 0; to < nodes_.largest(); ++to) {
          const std::int32_t first = first_at(other, from, to);
          for (std::int32_t j = 0; j < slice.count; ++j) {
            table.push_back(first < 0 ? -1 : first + slice.begin + j);
          }
        }
      }
    }
    return table;
  }

  const Nodes& nodes_;
  std::int32_t node_;
  std::int32_t block_count_;
};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const Components components(values);
  const Nodes nodes(group);
  const std::int32_t node = nodes.of(group.rank);
  const Held held(nodes, node, block_count);
  Builder builder(nodes.ranks(), group.rank, 0, nodes.ranks() * block_count);
  builder.input(nodes.ranks() * block_count);
  Hierarchy hierarchy(builder, group.rank);
  const auto within_each = [&](const Algorithm& algorithm, auto table_of, auto relocated) {
    for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
      const std::int32_t blocks = nodes.ranks() * slice.count;
      const auto members = hierarchy.own_node(algorithm, nodes, 0, leader, blocks);
      const BlockTable outside = parts_of_all(nodes.ranks(), block_count, slice);
      const BlockTable table = table_of(members, slice);
      hierarchy.add(algorithm, members, blocks, relocated(outside, placed(Buffer::scratch, table)));
    });
    hierarchy.next_phase();
  };
  within_each(
      components.collect,
      [&](const auto& members, const Slice& slice) { return held.to_all(members, slice); },
      [](const BlockTable& outside, const Place& inside) {
        return Relocation{placed(Buffer::input, outside), inside, inside};
      });
  for_each_slice(block_count, components.leaders, [&](std::int32_t leader, const Slice& slice) {
    const BlockTable sent = held.sent(slice);
    const BlockTable received = held.received(slice);
    hierarchy.add(components.between, nodes.leaders(leader),
                  nodes.largest() * nodes.largest() * slice.count,
                  {placed(Buffer::scratch, sent), placed(Buffer::scratch, received), {}});
  });
  hierarchy.next_phase();
  within_each(
      components.distribute,
      [&](const auto& members, const Slice& slice) { return held.from_all(members, slice); },
      [](const BlockTable& outside, const Place& inside) {
        return Relocation{inside, placed(Buffer::output, outside), inside};
      });
  builder.set_rounds(hierarchy.rounds());
  return std::move(builder).finish();
}

std::int32_t block_count_for(const Problem& problem, Values values) {
  return blocks_for_leaders(problem, Components(values).leaders);
}

// As if all nodes had as many ranks as the largest.
double cost_s(const Problem& problem, Values values) {
  const Components components(values);
  const std::int32_t of_part = block_count_for(problem, values);
  const auto of_node = static_cast<std::int32_t>(ranks_of_a_node(problem));
  const Problem within = parts_within_node(problem, in_whole_parts(problem).size_bytes);
  const Problem between = parts_between_nodes(problem, of_node * of_node * problem.part_bytes());
  const std::int32_t of_rank = problem.ranks * of_part;
  return shares_time_s(components.collect, within, of_rank, components.leaders) +
         shares_time_s(components.between, between, of_node * of_node * of_part,
                       components.leaders) +
         shares_time_s(components.distribute, within, of_rank, components.leaders);
}

}  // namespace

extern const Algorithm alltoall_hierarchy = {
    .id = "alltoall/hierarchy",
    .summary = "gather within nodes, alltoall between them, scatter within nodes",
    .source = "paper D, section 5",
    .cost = "that of the components, for each leader's share",
    .collective = Collective::alltoall,
    .parameters = parameters,
    .equal_blocks_only = true,
    .needs_nodes = true,
    .for_comparison = true,
    .blocks = block_count_for,
    .make = generate,
    .cost_s = cost_s,
    .cost_slack = 6,  // of nodes with few ranks beside one with many
    .cost_is_bound = true,
};

}  // namespace anabranch
