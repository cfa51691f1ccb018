// Algorithms composed of others over nodes: within each node, between their leaders, and within
// each node again. Whatever is registered for the right collective can be a component.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

// The ranks of each node, in their order. Ranks are relative to the root, whose node is the first.
// Copies share what they know.
class Nodes {
 public:
  // node_of_rank: any numbers that tell nodes apart.
  explicit Nodes(std::span<const std::int64_t> node_of_rank);
  // Those of the last group are kept, since all ranks of a simulation ask for the same ones.
  explicit Nodes(const Group& group);

  std::int32_t ranks() const { return static_cast<std::int32_t>(known_->node_of_rank.size()); }
  std::int32_t count() const { return static_cast<std::int32_t>(known_->members.size()); }
  std::int32_t of(std::int32_t rank) const {
    return known_->node_of_rank[static_cast<std::size_t>(rank)];
  }
  std::span<const std::int32_t> members(std::int32_t node) const {
    return known_->members[static_cast<std::size_t>(node)];
  }
  std::int32_t size(std::int32_t node) const {
    return static_cast<std::int32_t>(members(node).size());
  }
  std::int32_t largest() const;  // ranks of the largest node
  // How many ranks there are on the nodes from the second on: each number once.
  std::span<const std::int32_t> other_sizes() const { return known_->other_sizes; }

  // Of the leaders of a node, number `leader`; the same rank several times where the node has fewer
  // ranks than there are leaders.
  std::int32_t leader(std::int32_t node, std::int32_t leader) const {
    return members(node)[static_cast<std::size_t>(leader % size(node))];
  }
  // All ranks of the node, that leader first.
  std::vector<std::int32_t> led_by(std::int32_t node, std::int32_t leader) const;
  // One of each node.
  std::vector<std::int32_t> leaders(std::int32_t leader) const;

 private:
  struct Known {
    std::vector<std::int32_t> node_of_rank;
    std::vector<std::vector<std::int32_t>> members;
    std::vector<std::int32_t> other_sizes;
  };
  static std::shared_ptr<const Known> find(std::span<const std::int64_t> node_of_rank);

  std::shared_ptr<const Known> known_;
};

// Writes what one rank does in phases, one after the other, of which each is made of schedules of
// other algorithms over groups of ranks.
class Hierarchy {
 public:
  Hierarchy(Builder& builder, std::int32_t rank) : builder_(builder), rank_(rank) {}

  // Adds what this rank does in the algorithm over the members; nothing if it is none of them.
  void add(const Algorithm& algorithm, std::span<const std::int32_t> members, std::int32_t blocks,
           const Relocation& relocation);
  // The same within each node from `first_node` (0 or 1) on, led by that leader.
  void add_within(const Algorithm& algorithm, const Nodes& nodes, std::int32_t first_node,
                  std::int32_t leader, std::int32_t blocks, const Relocation& relocation);
  // For what differs by node: the members of this rank's own one, in that order, and the rounds
  // that all those nodes take; none where its node is before `first_node`.
  std::vector<std::int32_t> own_node(const Algorithm& algorithm, const Nodes& nodes,
                                     std::int32_t first_node, std::int32_t leader,
                                     std::int32_t blocks);
  // A message of the same phase, from one rank to another.
  void add_message(std::int32_t from, std::int32_t to, BlockSet blocks);
  // What is added from now on follows what has been added, on all ranks.
  void next_phase();

  std::int32_t rounds() const { return first_round_ + phase_rounds_; }

 private:
  // The phase has as many rounds as the algorithm over so many ranks, which all of them know.
  void count_rounds(const Algorithm& algorithm, std::int32_t ranks, std::int32_t blocks);

  Builder& builder_;
  std::int32_t rank_;
  std::int32_t first_round_ = 0;
  std::int32_t phase_rounds_ = 0;
  std::map<std::tuple<const Algorithm*, std::int32_t, std::int32_t>, std::int32_t> known_rounds_;
};

// The algorithm with a schedule that serves best between the nodes of the problem, or within its
// largest node: the cheapest under the model, or the one that measurements prefer.
std::int64_t best_between_nodes(Collective collective, const Problem& problem);
std::int64_t best_within_node(Collective collective, const Problem& problem);
template <Collective collective>
std::int64_t best_within_a_node(const Problem& problem) {
  return best_within_node(collective, problem);
}

// What leader number `leader` of so many takes care of: blocks begin .. begin + count - 1.
struct Slice {
  std::int32_t begin;
  std::int32_t count;
  Slice(std::int32_t blocks, std::int32_t leader, std::int32_t leaders)
      : begin(static_cast<std::int32_t>(std::int64_t{blocks} * leader / leaders)),
        count(static_cast<std::int32_t>(std::int64_t{blocks} * (leader + 1) / leaders) - begin) {}
};

// Calls visit(leader, slice) for all of them.
template <typename Visit>
void for_each_slice(std::int32_t blocks, std::int64_t leaders, Visit visit) {
  for (std::int32_t leader = 0; leader < leaders; ++leader) {
    visit(leader, Slice(blocks, leader, static_cast<std::int32_t>(leaders)));
  }
}

// The value of a parameter that names an algorithm. Throws std::invalid_argument where that cannot
// be a component.
const Algorithm& component_at(std::int64_t value, Collective collective);

constexpr Parameter component_parameter(std::string_view name, std::string_view summary,
                                        Collective collective,
                                        std::int64_t (*default_value)(const Problem&)) {
  return {.name = name,
          .summary = summary,
          .minimum = 0,
          .maximum = INT32_MAX,
          .default_value = default_value,
          .is_algorithm = true,
          .algorithms_of = collective};
}
// Default: best_between_nodes.
template <Collective collective>
constexpr Parameter between_parameter = component_parameter(
    "between", "the algorithm between leaders of nodes; the best one unless given", collective,
    [](const Problem& problem) { return best_between_nodes(collective, problem); });

constexpr Parameter leaders_by(std::int64_t (*default_value)(const Problem&)) {
  return {.name = "leaders",
          .summary = "ranks of each node that take part between the nodes, each with its share",
          .minimum = 1,
          .maximum = 1000,
          .default_value = default_value};
}
constexpr Parameter leaders_parameter = leaders_by([](const Problem&) { return std::int64_t{1}; });

// The problems of the components: all of the message between as many ranks as there are nodes, or
// the share of one leader; and all of it within the largest node.
Problem between_nodes(const Problem& problem, std::int64_t leaders);
Problem within_node(const Problem& problem);
// The same problem where messages go through the memory of a node: of prices, not of choices.
Problem in_memory(Problem problem);

// Time of a component that runs once for each leader, on its share of the problem's message, which
// has so many blocks in all. The shares go through the same ports or the same memory; so this is
// the time of one after the other, and an upper bound; no bound where the gap of messages is
// known, and with it that latencies of shares pass at the same time.
double shares_time_s(const Algorithm& algorithm, const Problem& problem, std::int32_t blocks,
                     std::int64_t leaders);

// Algorithm::blocks: enough for each component, as many for each leader.
std::int32_t hierarchy_blocks(const Problem& problem, std::span<const Algorithm* const> within,
                              const Algorithm& between, std::int64_t leaders);

// The values of a hierarchy's parameters where what runs within nodes and between them is of one
// collective.
template <Collective collective>
struct WithinAndBetween {
  const Algorithm& within;
  const Algorithm& between;
  std::int64_t leaders;

  explicit WithinAndBetween(Values values)
      : within(component_at(values[0], collective)),
        between(component_at(values[1], collective)),
        leaders(values[2]) {}

  // Algorithm::blocks.
  static std::int32_t blocks(const Problem& problem, Values values) {
    const WithinAndBetween components(values);
    const Algorithm* const within[] = {&components.within};
    return hierarchy_blocks(problem, within, components.between, components.leaders);
  }
};

// The same where one rank of a node collects, and afterwards distributes among its ranks.
template <Collective collecting, Collective exchanging, Collective distributing>
struct CollectAndDistribute {
  const Algorithm& collect;
  const Algorithm& between;
  const Algorithm& distribute;
  std::int64_t leaders;

  explicit CollectAndDistribute(Values values)
      : collect(component_at(values[0], collecting)),
        between(component_at(values[1], exchanging)),
        distribute(component_at(values[2], distributing)),
        leaders(values[3]) {}
};

}  // namespace anabranch
