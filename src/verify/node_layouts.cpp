#include "verify/node_layouts.hpp"

#include "algorithms/hierarchy.hpp"
#include "verify/cases.hpp"
#include "verify/order.hpp"

namespace anabranch::verify {
namespace {

constexpr std::size_t random_layouts = 4;

template <typename NodeOf>
NodeLayout layout_of(std::int32_t ranks, NodeOf node_of) {
  NodeLayout layout;
  for (std::int32_t rank = 0; rank < ranks; ++rank) layout.push_back(node_of(rank));
  return layout;
}

}  // namespace

std::vector<NodeLayout> node_layouts(std::int32_t ranks) {
  std::vector<NodeLayout> layouts;
  add_once(layouts, layout_of(ranks, [](std::int32_t) { return 0; }));
  add_once(layouts, layout_of(ranks, [](std::int32_t rank) { return rank; }));
  add_once(layouts, layout_of(ranks, [](std::int32_t rank) { return rank / 4; }));
  add_once(layouts, layout_of(ranks, [](std::int32_t rank) { return rank % 3; }));
  RandomOrder random(static_cast<std::uint64_t>(ranks));
  const std::vector<Event> events(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < random_layouts; ++i) {
    const std::int64_t nodes = 1 + static_cast<std::int64_t>(random.pick(events));
    add_once(layouts, layout_of(ranks, [&](std::int32_t) {
               return static_cast<std::int64_t>(random.pick(events)) % nodes;
             }));
  }
  return layouts;
}

Problem on_nodes(Problem problem, const NodeLayout& layout) {
  const Nodes nodes(layout);
  problem.nodes = {nodes.count(), nodes.largest()};
  return problem;
}

std::vector<std::vector<std::int64_t>> part_values(const Algorithm& algorithm,
                                                   const std::vector<Problem>& problems) {
  std::vector<std::vector<std::int64_t>> sets;
  for (const Problem& problem : problems) {
    add_once(sets, with_defaults(algorithm, problem).values);
  }
  const auto defaults = sets.front();
  for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) {
    const Parameter& parameter = algorithm.parameters[i];
    auto values = defaults;
    if (!parameter.is_algorithm) {
      for (values[i] = 2; values[i] <= 3; ++values[i]) add_once(sets, values);
      continue;
    }
    for (const Algorithm* part : all_algorithms()) {
      if (!part->can_be_part(parameter.algorithms_of.value_or(algorithm.collective))) continue;
      values[i] = index_of(*part);
      add_once(sets, values);
    }
  }
  return sets;
}

std::string text_of(const NodeLayout& layout) {
  std::string text = "nodes";
  for (const std::int64_t node : layout) text += " " + std::to_string(node);
  return text;
}

}  // namespace anabranch::verify
