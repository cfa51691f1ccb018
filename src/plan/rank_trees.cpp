#include "plan/rank_trees.hpp"

#include <algorithm>
#include <utility>

#include "schedule/builder.hpp"

namespace anabranch {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// Children by node, in the order of sending, of the tree with its root moved.
std::vector<std::vector<std::int32_t>> children_from(const Plan::Tree& tree, std::int32_t root) {
  std::vector<std::int32_t> parent = tree.parent;
  std::int32_t above = no_node;
  for (std::int32_t node = root; node != no_node;) {
    node = std::exchange(parent[at(node)], std::exchange(above, node));
  }
  std::vector<std::int32_t> nodes(parent.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<std::int32_t>(i);
  std::ranges::stable_sort(nodes, {}, [&](std::int32_t node) { return tree.position[at(node)]; });
  std::vector<std::vector<std::int32_t>> children(parent.size());
  for (const std::int32_t node : nodes) {
    if (parent[at(node)] != no_node) children[at(parent[at(node)])].push_back(node);
  }
  return children;
}

class Fitting {
 public:
  Fitting(const Plan& plan, std::span<const std::int32_t> node_of_rank, std::int32_t root)
      : ranks_(static_cast<std::int32_t>(node_of_rank.size())), ranks_on_(plan.nodes.size()) {
    for (std::int32_t relative = 0; relative < ranks_; ++relative) {
      const std::int32_t rank = (relative + root) % ranks_;
      ranks_on_[at(node_of_rank[at(rank)])].push_back(relative);
    }
    root_node_ = node_of_rank[at(root)];
  }

  RankTrees::Tree of(const Plan::Tree& planned) const {
    RankTrees::Tree tree;
    tree.parent.assign(at(ranks_), -1);
    tree.children.resize(at(ranks_));
    tree.depth.assign(at(ranks_), 0);
    const auto children = children_from(planned, root_node_);
    // Nodes whose children are still to be hung under the rank that has what they need.
    struct Open {
      std::int32_t node;
      std::int32_t above;
    };
    std::vector<Open> open = {{root_node_, -1}};
    for (std::size_t next = 0; next < open.size(); ++next) {
      auto [node, above] = open[next];
      const auto& here = ranks_on_[at(node)];
      if (!here.empty()) {
        if (above >= 0) hang(tree, here.front(), above);
        above = here.front();
      }
      for (const std::int32_t child : children[at(node)]) open.push_back({child, above});
    }
    hang_others(tree);
    return tree;
  }

 private:
  static void hang(RankTrees::Tree& tree, std::int32_t rank, std::int32_t above) {
    tree.parent[at(rank)] = above;
    tree.depth[at(rank)] = tree.depth[at(above)] + 1;
    tree.children[at(above)].push_back(rank);
  }

  // After all other nodes, which are further away.
  void hang_others(RankTrees::Tree& tree) const {
    for (const auto& here : ranks_on_) {
      for (std::size_t i = 1; i < here.size(); ++i) hang(tree, here[i], here[i - 1]);
    }
  }

  std::int32_t ranks_;
  std::int32_t root_node_;
  std::vector<std::vector<std::int32_t>> ranks_on_;  // by node; relative to the root
};

}  // namespace

std::int32_t RankTrees::depth() const {
  std::int32_t deepest = 0;
  for (const Tree& tree : trees) {
    for (const std::int32_t depth_of_one : tree.depth) deepest = std::max(deepest, depth_of_one);
  }
  return deepest;
}

RankTrees fit(const Plan& plan, std::span<const std::int32_t> node_of_rank, std::int32_t root) {
  const Fitting fitting(plan, node_of_rank, root);
  RankTrees fitted;
  fitted.ranks = static_cast<std::int32_t>(node_of_rank.size());
  fitted.order = plan.order;
  for (const Plan::Tree& tree : plan.trees) fitted.trees.push_back(fitting.of(tree));
  return fitted;
}

// Slice k comes to depth d in round k + (d - 1) * period: so a rank's operations are in the plan's
// order, and on its way down a slice waits for no more than a period at each hop.
Schedule tree_schedule(const RankTrees& trees, std::int32_t rank, std::int32_t slices) {
  const auto period = static_cast<std::int32_t>(trees.order.size());
  const std::int32_t hops = std::max(trees.depth() - 1, 0);
  Builder builder(trees.ranks, rank, trees.ranks < 2 ? 0 : slices + hops * period, slices);
  for (std::int32_t place = 0; place < std::min(period, slices); ++place) {
    const RankTrees::Tree& tree = trees.trees[at(trees.order[at(place)])];
    const Repeat periods{
        .count = (slices - 1 - place) / period + 1, .block_step = period, .round_step = period};
    const std::int32_t depth = tree.depth[at(rank)];
    if (tree.parent[at(rank)] >= 0) {
      builder.receive(place + (depth - 1) * period, tree.parent[at(rank)], block(place), periods);
    }
    for (const std::int32_t child : tree.children[at(rank)]) {
      builder.send(place + depth * period, child, block(place), periods);
    }
  }
  return std::move(builder).finish();
}

}  // namespace anabranch
