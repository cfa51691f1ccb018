#include "verify/places.hpp"

#include <utility>

#include "algorithms/hierarchy.hpp"
#include "verify/cases.hpp"
#include "verify/order.hpp"

namespace anabranch::verify {
namespace {

constexpr std::size_t random_cases = 4;

// Numbers below a limit, the same in each run.
class Draws {
 public:
  explicit Draws(std::int32_t ranks)
      : random_(static_cast<std::uint64_t>(ranks)), events_(static_cast<std::size_t>(ranks)) {}
  std::int32_t below(std::int32_t limit) {
    return static_cast<std::int32_t>(random_.pick(events_)) % limit;
  }

 private:
  RandomOrder random_;
  std::vector<Event> events_;
};

using NodeLayout = std::vector<std::int64_t>;

template <typename NodeOf>
NodeLayout layout_of(std::int32_t ranks, NodeOf node_of) {
  NodeLayout layout;
  for (std::int32_t rank = 0; rank < ranks; ++rank) layout.push_back(node_of(rank));
  return layout;
}

std::vector<NodeLayout> node_layouts(std::int32_t ranks) {
  std::vector<NodeLayout> layouts;
  add_once(layouts, layout_of(ranks, [](std::int32_t) { return 0; }));
  add_once(layouts, layout_of(ranks, [](std::int32_t rank) { return rank; }));
  add_once(layouts, layout_of(ranks, [](std::int32_t rank) { return rank / 4; }));
  add_once(layouts, layout_of(ranks, [](std::int32_t rank) { return rank % 3; }));
  Draws draws(ranks);
  for (std::size_t i = 0; i < random_cases; ++i) {
    const std::int32_t nodes = 1 + draws.below(ranks);
    add_once(layouts, layout_of(ranks, [&](std::int32_t) { return draws.below(nodes); }));
  }
  return layouts;
}

// Each host hangs under one that is nearer to the root.
Plan::Tree random_tree(std::int32_t hosts, std::int32_t root, Draws& draws) {
  Plan::Tree tree;
  tree.parent.assign(static_cast<std::size_t>(hosts), no_node);
  tree.position.assign(static_cast<std::size_t>(hosts), 0);
  for (std::int32_t i = 1; i < hosts; ++i) {
    const auto host = static_cast<std::size_t>((root + i) % hosts);
    tree.parent[host] = (root + draws.below(i)) % hosts;
    tree.position[host] = i;
  }
  return tree;
}

std::shared_ptr<const Places> random_plan(std::int32_t ranks, std::int32_t tree_count,
                                          Draws& draws) {
  const std::int32_t hosts = 1 + draws.below(ranks);
  auto plan = std::make_shared<Plan>();
  plan->slice_bytes = 1024;
  plan->serial = tree_count == 1;
  plan->root = draws.below(hosts);
  plan->period_s = 1;
  for (std::int32_t host = 0; host < hosts; ++host) plan->nodes.push_back(std::to_string(host));
  for (std::int32_t tree = 0; tree < tree_count; ++tree) {
    plan->trees.push_back(random_tree(hosts, plan->root, draws));
    plan->order.insert(plan->order.end(), static_cast<std::size_t>(1 + draws.below(2)), tree);
  }
  std::vector<std::int32_t> host_of_rank;
  for (std::int32_t rank = 0; rank < ranks; ++rank) host_of_rank.push_back(draws.below(hosts));
  return std::make_shared<const Places>(NodeLayout{}, std::move(plan), std::move(host_of_rank));
}

}  // namespace

std::vector<std::shared_ptr<const Places>> places_for(const Algorithm& algorithm,
                                                      std::int32_t ranks) {
  std::vector<std::shared_ptr<const Places>> found;
  if (algorithm.may_use_places) {
    Draws draws(ranks);
    found.push_back(nullptr);
    for (NodeLayout& layout : node_layouts(ranks)) {
      found.push_back(std::make_shared<const Places>(std::move(layout)));
    }
    for (std::int32_t trees = 1; trees <= 3; ++trees) {
      found.push_back(random_plan(ranks, trees, draws));
    }
  } else if (algorithm.needs_plan) {
    Draws draws(ranks);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(2 * random_cases); ++i) {
      found.push_back(random_plan(ranks, 1 + i % 3, draws));
    }
  } else if (algorithm.needs_nodes) {
    for (NodeLayout& layout : node_layouts(ranks)) {
      found.push_back(std::make_shared<const Places>(std::move(layout)));
    }
  } else {
    found.push_back(nullptr);
  }
  return found;
}

Problem at_places(Problem problem, const Places& places) {
  problem.nodes = node_counts(places);
  problem.planned = planned_trees(places);
  return problem;
}

std::vector<std::vector<std::int64_t>> values_to_verify(const Algorithm& algorithm,
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
    for (const Algorithm* component : all_algorithms()) {
      if (!component->can_be_component(parameter.algorithms_of.value_or(algorithm.collective)))
        continue;
      values[i] = index_of(*component);
      add_once(sets, values);
    }
  }
  return sets;
}

std::string text_of(const Places* places) {
  if (places == nullptr) return {};
  std::string text;
  if (const Plan* plan = places->plan()) {
    text = ", a plan of " + std::to_string(plan->trees.size()) + " trees, hosts";
    for (const std::int32_t host : places->host_of_rank()) text += " " + std::to_string(host);
  } else {
    text = ", nodes";
    for (const std::int64_t node : places->node_of_rank()) text += " " + std::to_string(node);
  }
  return text;
}

}  // namespace anabranch::verify
