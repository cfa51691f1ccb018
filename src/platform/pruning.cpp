#include "platform/pruning.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

namespace anabranch::platform {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// The outgoing links of a node that are left.
struct Outgoing {
  std::vector<std::int32_t> untried;  // the slowest first
  std::size_t next = 0;
  std::vector<std::int32_t> kept;
  double sum_s = 0;
};

double slowest_s(const SlicePlatform& platform, const Outgoing& outgoing) {
  double slowest = 0;
  if (outgoing.next < outgoing.untried.size()) {
    slowest = platform.link(outgoing.untried[outgoing.next]).time_s;
  }
  for (const std::int32_t link : outgoing.kept) {
    slowest = std::max(slowest, platform.link(link).time_s);
  }
  return slowest;
}

std::int32_t count_of(const Outgoing& outgoing) {
  return static_cast<std::int32_t>(outgoing.untried.size() - outgoing.next + outgoing.kept.size());
}

}  // namespace

Pruning::Pruning(const SlicePlatform& platform, std::int32_t root)
    : platform_(platform),
      removed_(platform.link_count(), false),
      tree_(at(platform.nodes()), -1),
      children_(at(platform.nodes())),
      place_(at(platform.nodes()), Place::elsewhere) {
  std::vector<bool> reached(tree_.size(), false);
  std::vector<std::int32_t> order{root};
  reached[at(root)] = true;
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::int32_t link : platform_.links_from(order[next])) {
      const std::int32_t target = platform_.link(link).target;
      if (reached[at(target)]) continue;
      reached[at(target)] = true;
      tree_[at(target)] = link;
      children_[at(order[next])].push_back(target);
      order.push_back(target);
    }
  }
}

void Pruning::find_below(std::int32_t node) {
  below_.assign(1, node);
  place_[at(node)] = Place::below;
  for (std::size_t next = 0; next < below_.size(); ++next) {
    for (const std::int32_t child : children_[at(below_[next])]) {
      place_[at(child)] = Place::below;
      below_.push_back(child);
    }
  }
}

// Hangs what is below on links from elsewhere, and on that the rest. If that reaches the head it
// reaches all, over links of the tree.
void Pruning::hang_below(std::int32_t without) {
  hung_.clear();
  const auto is_left = [&](std::int32_t link) { return link != without && !removed_[at(link)]; };
  const auto hang = [&](std::int32_t link) {
    place_[at(platform_.link(link).target)] = Place::hung;
    hung_.push_back(link);
  };
  for (const std::int32_t node : below_) {
    for (const std::int32_t link : platform_.links_to(node)) {
      if (!is_left(link) || place_[at(platform_.link(link).source)] != Place::elsewhere) continue;
      hang(link);
      break;
    }
  }
  for (std::size_t next = 0; next < hung_.size(); ++next) {
    for (const std::int32_t link : platform_.links_from(platform_.link(hung_[next]).target)) {
      if (is_left(link) && place_[at(platform_.link(link).target)] == Place::below) hang(link);
    }
  }
}

bool Pruning::remove(std::int32_t link) {
  const std::int32_t head = platform_.link(link).target;
  if (tree_[at(head)] != link) {
    removed_[at(link)] = true;
    return true;
  }
  find_below(head);
  hang_below(link);
  const bool reached = place_[at(head)] == Place::hung;
  for (const std::int32_t node : below_) place_[at(node)] = Place::elsewhere;
  if (!reached) return false;
  for (const std::int32_t node : below_) {
    std::erase(children_[at(platform_.link(tree_[at(node)]).source)], node);
  }
  for (const std::int32_t over : hung_) {
    const Link& ends = platform_.link(over);
    tree_[at(ends.target)] = over;
    children_[at(ends.source)].push_back(ends.target);
  }
  removed_[at(link)] = true;
  return true;
}

Tree prune_in_order(const SlicePlatform& platform, std::int32_t root,
                    std::span<const std::int32_t> order) {
  Pruning pruning(platform, root);
  for (const std::int32_t link : order) pruning.remove(link);
  return pruning.tree();
}

std::vector<std::int32_t> by_falling(std::span<const double> values) {
  std::vector<std::int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return values[at(a)] > values[at(b)]; });
  return order;
}

std::vector<double> times_of(const SlicePlatform& platform) {
  std::vector<double> times_s;
  times_s.reserve(platform.link_count());
  for (const Link& link : platform.links()) times_s.push_back(link.time_s);
  return times_s;
}

Tree prune_by_node(const SlicePlatform& platform, std::int32_t root, NodeValue value) {
  std::vector<Outgoing> outgoing(at(platform.nodes()));
  for (const std::int32_t link : by_falling(times_of(platform))) {
    Outgoing& of_source = outgoing[at(platform.link(link).source)];
    of_source.untried.push_back(link);
    of_source.sum_s += platform.link(link).time_s;
  }
  const auto value_of = [&](std::int32_t node) {
    const Outgoing& left = outgoing[at(node)];
    return value(platform, node, count_of(left), left.sum_s, slowest_s(platform, left));
  };
  // The largest value first, then the lower node. Only the entry of the node itself changes it.
  using Candidate = std::pair<double, std::int32_t>;
  std::priority_queue<Candidate> candidates;
  for (std::int32_t node = 0; node < platform.nodes(); ++node) {
    candidates.emplace(value_of(node), -node);
  }
  Pruning pruning(platform, root);
  while (!candidates.empty()) {
    const std::int32_t node = -candidates.top().second;
    candidates.pop();
    Outgoing& left = outgoing[at(node)];
    while (left.next < left.untried.size()) {
      const std::int32_t link = left.untried[left.next++];
      if (pruning.remove(link)) {
        left.sum_s -= platform.link(link).time_s;
        candidates.emplace(value_of(node), -node);
        break;
      }
      left.kept.push_back(link);
    }
  }
  return pruning.tree();
}

}  // namespace anabranch::platform
