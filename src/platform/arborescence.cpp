#include "platform/arborescence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace anabranch::platform {
namespace {

constexpr std::int32_t none = -1;
// States of a group: not visited, on the path that grows, connected with the root, taken apart.
constexpr std::int32_t fresh = 0;
constexpr std::int32_t on_path = 1;
constexpr std::int32_t done = 2;
constexpr std::int32_t opened = 3;
constexpr double resolution = 0x1p50;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

}  // namespace

ArborescenceFinder::ArborescenceFinder(const SlicePlatform& platform, std::int32_t root)
    : platform_(platform), root_(root) {
  check_reachable(platform, root);
  hops_ = hops_from(platform, root);
  const std::size_t max_groups = 2 * at(platform.nodes());
  entries_.resize(platform.link_count());
  for (auto* of_groups : {&heap_, &top_, &inside_, &entering_, &state_}) {
    of_groups->resize(max_groups);
  }
  tree_.resize(at(platform.nodes()));
}

const Tree& ArborescenceFinder::find(std::span<const double> costs) {
  groups_ = platform_.nodes();
  set_keys(costs);
  std::iota(top_.begin(), top_.end(), 0);
  std::fill(inside_.begin(), inside_.end(), none);
  std::fill(entering_.begin(), entering_.end(), none);
  std::fill(state_.begin(), state_.end(), fresh);
  build_heaps();
  state_[at(root_)] = done;
  for (std::int32_t node = 0; node < platform_.nodes(); ++node) {
    if (state_[at(group_of(node))] == fresh) grow_path(node);
  }
  expand();
  return tree_;
}

void ArborescenceFinder::set_keys(std::span<const double> costs) {
  if (costs.size() != entries_.size()) {
    throw std::invalid_argument("there are " + std::to_string(costs.size()) + " costs for " +
                                std::to_string(entries_.size()) + " links");
  }
  double least = 0;
  double largest = 0;
  for (const double cost : costs) {
    if (!std::isfinite(cost)) throw std::invalid_argument("a link's cost is not a finite number");
    least = std::min(least, cost);
    largest = std::max(largest, cost);
  }
  // Whole numbers, so that sums that should be equal are. A tree has one link into every node, so
  // adding the same to all costs changes nothing; keys are never negative then.
  // The unit is a power of two: costs that are multiples of one stay what they are.
  int exponent = 0;
  std::frexp((largest - least) / resolution, &exponent);
  const double unit = largest > least ? std::ldexp(1.0, exponent) : 0;
  const double scale = unit > 0 ? 1 / unit : 0;
  slack_ = unit * platform_.nodes();
  for (std::size_t index = 0; index < entries_.size(); ++index) {
    const std::int32_t source = platform_.links()[index].source;
    const std::int64_t cost = std::llround((costs[index] - least) * scale);
    entries_[index] = Entry{};
    entries_[index].key = {cost, hops_[at(source)]};
  }
}

void ArborescenceFinder::build_heaps() {
  for (std::int32_t node = 0; node < platform_.nodes(); ++node) {
    const auto links = platform_.links_to(node);
    queue_.assign(links.begin(), links.end());
    for (std::size_t next = 0; next + 1 < queue_.size(); next += 2) {
      queue_.push_back(meld(queue_[next], queue_[next + 1]));
    }
    heap_[at(node)] = queue_.empty() ? none : queue_.back();
  }
}

void ArborescenceFinder::settle(std::int32_t entry) {
  Entry& settled = entries_[at(entry)];
  if (settled.pending == Key{}) return;
  for (const std::int32_t child : {settled.left, settled.right}) {
    if (child == none) continue;
    entries_[at(child)].key += settled.pending;
    entries_[at(child)].pending += settled.pending;
  }
  settled.pending = {};
}

// Recurses along right spines, which are logarithmic.
std::int32_t ArborescenceFinder::meld(std::int32_t a, std::int32_t b) {
  if (a == none) return b;
  if (b == none) return a;
  if (entries_[at(b)].key < entries_[at(a)].key) std::swap(a, b);
  settle(a);
  Entry& top = entries_[at(a)];
  top.right = meld(top.right, b);
  const auto rank = [this](std::int32_t entry) {
    return entry == none ? 0 : entries_[at(entry)].rank;
  };
  if (rank(top.left) < rank(top.right)) std::swap(top.left, top.right);
  top.rank = rank(top.right) + 1;
  return a;
}

std::int32_t ArborescenceFinder::group_of(std::int32_t node) {
  while (top_[at(node)] != node) {
    top_[at(node)] = top_[at(top_[at(node)])];
    node = top_[at(node)];
  }
  return node;
}

// Takes the cheapest link from outside out of the group's heap, and its cost off all others.
std::int32_t ArborescenceFinder::pop_cheapest(std::int32_t group) {
  for (;;) {
    const std::int32_t entry = heap_[at(group)];
    settle(entry);
    const Entry& cheapest = entries_[at(entry)];
    const std::int32_t rest = meld(cheapest.left, cheapest.right);
    heap_[at(group)] = rest;
    if (group_of(platform_.link(entry).source) == group) continue;
    if (rest != none) {
      const Key paid = -cheapest.key;
      entries_[at(rest)].key += paid;
      entries_[at(rest)].pending += paid;
    }
    return entry;
  }
}

// Makes one group of the cycle at the end of the path, from `first` on.
void ArborescenceFinder::contract(std::vector<std::int32_t>& path, std::int32_t first) {
  const std::int32_t cycle = groups_++;
  std::int32_t heap = none;
  for (std::int32_t group = none; group != first; path.pop_back()) {
    group = path.back();
    heap = meld(heap, heap_[at(group)]);
    inside_[at(group)] = cycle;
    top_[at(group)] = cycle;
  }
  heap_[at(cycle)] = heap;
  state_[at(cycle)] = on_path;
  path.push_back(cycle);
}

// From the node backwards along the cheapest entering links until something done is reached.
void ArborescenceFinder::grow_path(std::int32_t start) {
  std::vector<std::int32_t>& path = queue_;
  path.assign(1, start);
  state_[at(start)] = on_path;
  for (;;) {
    const std::int32_t head = path.back();
    const std::int32_t link = pop_cheapest(head);
    entering_[at(head)] = link;
    const std::int32_t source = group_of(platform_.link(link).source);
    if (state_[at(source)] == done) break;
    if (state_[at(source)] == fresh) {
      state_[at(source)] = on_path;
      path.push_back(source);
      continue;
    }
    contract(path, source);
  }
  for (const std::int32_t group : path) state_[at(group)] = done;
}

// Opens the cycles, the outermost first: the link that enters one replaces the chosen link of the
// node in which it ends, and thereby opens all cycles around that node.
void ArborescenceFinder::expand() {
  for (std::int32_t group = groups_ - 1; group >= platform_.nodes(); --group) {
    if (state_[at(group)] == opened) continue;
    const std::int32_t link = entering_[at(group)];
    const std::int32_t node = platform_.link(link).target;
    for (std::int32_t around = node; around != group;) {
      around = inside_[at(around)];
      state_[at(around)] = opened;
    }
    entering_[at(node)] = link;
  }
  std::copy_n(entering_.begin(), tree_.size(), tree_.begin());
}

Tree minimum_arborescence(const SlicePlatform& platform, std::int32_t root,
                          std::span<const double> costs) {
  return ArborescenceFinder(platform, root).find(costs);
}

double cost_of(const Tree& tree, std::span<const double> costs) {
  double cost = 0;
  for (const std::int32_t link : tree) {
    if (link >= 0) cost += costs[at(link)];
  }
  return cost;
}

}  // namespace anabranch::platform
