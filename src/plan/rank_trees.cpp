#include "plan/rank_trees.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "plan/rounds.hpp"
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

  bool is_complete(const Plan& plan) const {
    return root_node_ == plan.root &&
           std::ranges::none_of(ranks_on_, [](const auto& here) { return here.empty(); });
  }

  // Between two rounds of the plan there is one for each further rank of a node: it gets its slice
  // after its node has it. The root's node has it when it first sends it.
  void keep_rounds(RankTrees& trees, const Plan& plan) const {
    std::size_t most = 1;
    for (const auto& here : ranks_on_) most = std::max(most, here.size());
    const auto steps = static_cast<std::int64_t>(most);
    trees.rounds = steps * static_cast<std::int64_t>(plan.rounds.size());
    for (const auto& planned : rounds_of_arrival(plan)) {
      auto& arrival = trees.arrival.emplace_back(at(ranks_), -1);
      std::int64_t first_sent = std::numeric_limits<std::int64_t>::max();
      for (const std::int64_t round : planned) {
        if (round >= 0) first_sent = std::min(first_sent, round);
      }
      for (std::size_t node = 0; node < planned.size(); ++node) {
        const auto& here = ranks_on_[node];
        const std::int64_t round = planned[node] >= 0 ? planned[node] : first_sent;
        for (std::size_t i = planned[node] >= 0 ? 0 : 1; i < here.size(); ++i) {
          arrival[at(here[i])] = round * steps + static_cast<std::int64_t>(i);
        }
      }
    }
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

std::int64_t laps_of(const RankTrees& trees) {
  if (trees.rounds == 0) return std::max(trees.depth() - 1, 0);
  std::int64_t last = 0;
  for (const auto& arrival : trees.arrival) last = std::max(last, std::ranges::max(arrival));
  return last / trees.rounds;
}

RankTrees fit(const Plan& plan, std::span<const std::int32_t> node_of_rank, std::int32_t root) {
  const Fitting fitting(plan, node_of_rank, root);
  RankTrees fitted;
  fitted.ranks = static_cast<std::int32_t>(node_of_rank.size());
  fitted.order = plan.order;
  for (const Plan::Tree& tree : plan.trees) fitted.trees.push_back(fitting.of(tree));
  if (!plan.rounds.empty() && fitting.is_complete(plan)) fitting.keep_rounds(fitted, plan);
  return fitted;
}

namespace {

// By place in the period and rank: when it receives that slice of the first period.
class Timing {
 public:
  Timing(const RankTrees& trees, std::int32_t slices) : trees_(trees), slices_(slices) {
    if (trees.ranks < 2 || trees.rounds == 0) return;
    const std::int64_t last = last_planned();
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1;
    if (last > most) return;
    follows_rounds_ = true;
    last_ = static_cast<std::int32_t>(last);
  }

  // Else slice k comes to depth d in round k + (d - 1) * period: a rank's operations are in the
  // plan's order, and on its way down a slice waits for no more than a period at each hop.
  std::int32_t arrival(std::int32_t place, std::int32_t rank) const {
    if (follows_rounds_) return static_cast<std::int32_t>(trees_.arrival[at(place)][at(rank)]);
    const RankTrees::Tree& tree = trees_.trees[at(trees_.order[at(place)])];
    return place + (tree.depth[at(rank)] - 1) * period();
  }

  Repeat repeat(std::int32_t place) const {
    return {.count = (slices_ - 1 - place) / period() + 1,
            .block_step = period(),
            .round_step = follows_rounds_ ? static_cast<std::int32_t>(trees_.rounds) : period()};
  }

  std::int32_t rounds() const {
    if (trees_.ranks < 2) return 0;
    if (follows_rounds_) return last_ + 1;
    return slices_ + std::max(trees_.depth() - 1, 0) * period();
  }

 private:
  std::int32_t period() const { return static_cast<std::int32_t>(trees_.order.size()); }

  std::int64_t last_planned() const {
    std::int64_t last = 0;
    for (std::int32_t place = 0; place < std::min(period(), slices_); ++place) {
      const std::int64_t laps = (slices_ - 1 - place) / period();
      last = std::max(last, std::ranges::max(trees_.arrival[at(place)]) + laps * trees_.rounds);
    }
    return last;
  }

  const RankTrees& trees_;
  std::int32_t slices_;
  std::int32_t last_ = 0;
  bool follows_rounds_ = false;
};

}  // namespace

Schedule tree_schedule(const RankTrees& trees, std::int32_t rank, std::int32_t slices) {
  const auto period = static_cast<std::int32_t>(trees.order.size());
  const Timing timing(trees, slices);
  Builder builder(trees.ranks, rank, timing.rounds(), slices);
  for (std::int32_t place = 0; place < std::min(period, slices); ++place) {
    const RankTrees::Tree& tree = trees.trees[at(trees.order[at(place)])];
    const Repeat periods = timing.repeat(place);
    if (tree.parent[at(rank)] >= 0) {
      builder.receive(timing.arrival(place, rank), tree.parent[at(rank)], block(place), periods);
    }
    for (const std::int32_t child : tree.children[at(rank)]) {
      builder.send(timing.arrival(place, child), child, block(place), periods);
    }
  }
  return std::move(builder).finish();
}

}  // namespace anabranch
