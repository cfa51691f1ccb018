#include "platform/local_search.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace anabranch::platform {
namespace {

constexpr int deepest = 5;
constexpr int max_trials = 50000;  // per link taken off
constexpr double strictly = 1 - 1e-9;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

class LocalSearch {
 public:
  LocalSearch(const SlicePlatform& platform, Tree tree)
      : platform_(platform),
        tree_(std::move(tree)),
        loads_s_(at(platform.resources()), 0),
        users_(at(platform.resources())) {
    platform_.add_tree(tree_, 1, loads_s_);
    for (std::int32_t link = 0; at(link) < platform_.link_count(); ++link) {
      for (const Use& use : platform_.uses(link)) {
        if (use.share_s > 0) users_[at(use.resource)].push_back(link);
      }
    }
  }

  Tree run() {
    while (!loads_s_.empty()) {
      const auto busiest = std::max_element(loads_s_.begin(), loads_s_.end());
      const double before_s = *busiest;
      limit_s_ = before_s * strictly;
      const auto many_before = count_at_limit();
      trials_ = 0;
      moved_.clear();
      if (!relieve(static_cast<std::int32_t>(busiest - loads_s_.begin()), deepest)) break;
      sum_loads();
      const double after_s = *std::max_element(loads_s_.begin(), loads_s_.end());
      if (after_s > before_s || count_at_limit() >= many_before) {
        undo(0);
        break;
      }
    }
    return tree_;
  }

 private:
  struct Move {
    double busiest_s = 0;  // of the resources of the new link, afterwards
    std::int32_t link = -1;
    friend bool operator<(const Move& a, const Move& b) {
      return std::pair(a.busiest_s, a.link) < std::pair(b.busiest_s, b.link);
    }
  };

  void sum_loads() {
    std::fill(loads_s_.begin(), loads_s_.end(), 0);
    platform_.add_tree(tree_, 1, loads_s_);
  }

  bool is_below(std::int32_t node, std::int32_t above) const {
    while (node != above && tree_[at(node)] >= 0) node = platform_.link(tree_[at(node)]).source;
    return node == above;
  }

  std::ptrdiff_t count_at_limit() const {
    return std::count_if(loads_s_.begin(), loads_s_.end(),
                         [this](double load_s) { return load_s >= limit_s_; });
  }

  void hang(std::int32_t node, std::int32_t link) {
    platform_.add_link(tree_[at(node)], -1, loads_s_);
    platform_.add_link(link, 1, loads_s_);
    tree_[at(node)] = link;
  }

  void undo(std::size_t moves_left) {
    for (; moved_.size() > moves_left; moved_.pop_back()) {
      hang(moved_.back().first, moved_.back().second);
    }
  }

  bool has_moved(std::int32_t node) const {
    return std::any_of(moved_.begin(), moved_.end(),
                       [node](const auto& moved) { return moved.first == node; });
  }

  // The other links that the node could receive over, the least busy first.
  std::vector<Move> moves_of(std::int32_t node) {
    std::vector<Move> moves;
    const std::int32_t now = tree_[at(node)];
    platform_.add_link(now, -1, loads_s_);
    for (const std::int32_t link : platform_.links_to(node)) {
      if (link == now) continue;
      Move move{.busiest_s = 0, .link = link};
      for (const Use& use : platform_.uses(link)) {
        move.busiest_s = std::max(move.busiest_s, loads_s_[at(use.resource)] + use.share_s);
      }
      moves.push_back(move);
    }
    platform_.add_link(now, 1, loads_s_);
    std::sort(moves.begin(), moves.end());
    return moves;
  }

  // Brings the resource's load below the limit; else changes nothing. Small links are tried first:
  // they find room more easily.
  bool relieve(std::int32_t resource, int depth) {
    std::vector<std::pair<double, std::int32_t>> taken;
    for (const std::int32_t link : users_[at(resource)]) {
      const Link& ends = platform_.link(link);
      if (tree_[at(ends.target)] != link || has_moved(ends.target)) continue;
      taken.emplace_back(ends.time_s, link);
    }
    std::sort(taken.begin(), taken.end());
    for (const auto& entry : taken) {
      const std::int32_t node = platform_.link(entry.second).target;
      for (const Move& move : moves_of(node)) {
        if (++trials_ > max_trials) return false;
        if (depth == 0 && move.busiest_s >= limit_s_) break;
        if (is_below(platform_.link(move.link).source, node)) continue;
        if (try_move(resource, node, move.link, depth)) return true;
      }
    }
    return false;
  }

  bool try_move(std::int32_t resource, std::int32_t node, std::int32_t link, int depth) {
    const std::size_t earlier = moved_.size();
    moved_.emplace_back(node, tree_[at(node)]);
    hang(node, link);
    bool fits = loads_s_[at(resource)] < limit_s_;
    for (const Use& use : platform_.uses(link)) {
      if (!fits) break;
      if (loads_s_[at(use.resource)] >= limit_s_)
        fits = depth > 0 && relieve(use.resource, depth - 1);
    }
    if (fits && loads_s_[at(resource)] < limit_s_) return true;
    undo(earlier);
    return false;
  }

  const SlicePlatform& platform_;
  Tree tree_;
  std::vector<double> loads_s_;
  std::vector<std::vector<std::int32_t>> users_;              // the links that use a resource
  std::vector<std::pair<std::int32_t, std::int32_t>> moved_;  // a node, and over what it received
  double limit_s_ = 0;
  int trials_ = 0;
};

}  // namespace

Tree improve_tree(const SlicePlatform& platform, const Tree& tree) {
  check_tree(platform, tree);
  return LocalSearch(platform, tree).run();
}

}  // namespace anabranch::platform
