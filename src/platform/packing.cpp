#include "platform/packing.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "platform/arborescence.hpp"
#include "platform/softmax.hpp"

namespace anabranch::platform {
namespace {

// Found by trial on 1,000 nodes with 10,000 links: how soft to begin, when to sharpen, and among
// how many of the trees in use to look for the dearest each time.
constexpr double initial_softness = 0.3;
constexpr double sharpening = 0.8;
constexpr std::size_t looked_at = 64;
// Relative to the period; sharper than this, differences of loads drown in rounding.
constexpr double least_softness = 1e-9;
constexpr std::int64_t steps_between_sums = 256;  // so that rounding errors do not add up
constexpr double negligible_share = 1e-13;
// Of the gap; the rest is spent on leaving out trees with small shares.
constexpr double spent_on_shares = 0.8;
constexpr double rounding = 1e-11;  // a smaller gap cannot be told from none

class Packer {
 public:
  Packer(const SlicePlatform& platform, std::int32_t root)
      : platform_(platform),
        finder_(platform, root),
        costs_(platform.link_count()),
        loads_s_(static_cast<std::size_t>(platform.resources()), 0),
        direction_s_(loads_s_) {
    std::vector<double> even(loads_s_.size(), 1);
    set_costs(even);
    members_.push_back({finder_.find(costs_), 1});
    sum_loads();
    period_s_ = largest(loads_s_);
    if (period_s_ <= 0) {
      throw std::invalid_argument("nothing limits the rate: no resource takes part in a tree");
    }
    const double resources = static_cast<double>(std::max<std::size_t>(loads_s_.size(), 3));
    softness_s_ = initial_softness * period_s_ / std::log(resources);
  }

  void step() {
    const Softmax now(loads_s_, {}, 0, softness_s_);
    set_costs(now.weights());
    const Tree& cheapest = finder_.find(costs_);
    // Prices sum to one. The tree is the cheapest for costs that were rounded a little.
    const double cost_s = cost_of(cheapest, costs_);
    bound_s_ = std::max(bound_s_, cost_s - finder_.slack());
    if (now.mean() - cost_s <= now.maximum() - now.mean()) softness_s_ *= sharpening;
    take_over(cheapest, dearest());
    if (++steps_ % steps_between_sums == 0) sum_loads();
    period_s_ = largest(loads_s_);
  }

  bool is_sharpest() const { return softness_s_ < least_softness * period_s_; }

  PackingProgress progress() const {
    return {steps_, 1 / period_s_, 1 / bound_s_, static_cast<std::int64_t>(members_.size())};
  }

  // Leaves out the smallest shares where that keeps the gap.
  Packing finish(double gap) {
    std::stable_sort(members_.begin(), members_.end(),
                     [](const Member& a, const Member& b) { return a.share > b.share; });
    double left_out = negligible_share;
    const double most = 1 - (1 - gap) / (1 - progress().gap());
    while (members_.size() > 1 && left_out + members_.back().share <= most) {
      left_out += members_.back().share;
      members_.pop_back();
    }
    sum_loads();
    period_s_ = largest(loads_s_);
    Packing packing;
    for (Member& member : members_) {
      packing.trees.push_back(std::move(member.tree));
      packing.rates_per_s.push_back(member.share / period_s_);
    }
    packing.reached = progress();
    return packing;
  }

 private:
  struct Member {
    Tree tree;
    double share = 0;  // of all slices
  };

  static double largest(std::span<const double> values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  }

  void set_costs(std::span<const double> prices) {
    for (std::size_t link = 0; link < costs_.size(); ++link) {
      double cost = 0;
      for (const Use& use : platform_.uses(static_cast<std::int32_t>(link))) {
        cost += prices[static_cast<std::size_t>(use.resource)] * use.share_s;
      }
      costs_[link] = cost;
    }
  }

  void sum_loads() {
    double sum = 0;
    for (const Member& member : members_) sum += member.share;
    std::fill(loads_s_.begin(), loads_s_.end(), 0);
    for (Member& member : members_) {
      member.share /= sum;
      platform_.add_tree(member.tree, member.share, loads_s_);
    }
  }

  // Of the members looked at now, in turn, and the dearest of the last time.
  std::size_t dearest() {
    std::size_t found = last_dearest_ < members_.size() ? last_dearest_ : 0;
    double highest = cost_of(members_[found].tree, costs_);
    for (std::size_t count = std::min(looked_at, members_.size()); count > 0; --count) {
      next_ = next_ + 1 < members_.size() ? next_ + 1 : 0;
      const double cost = cost_of(members_[next_].tree, costs_);
      if (cost <= highest) continue;
      highest = cost;
      found = next_;
    }
    return last_dearest_ = found;
  }

  // Moves the loads along the direction as far as is best, and returns how far.
  double move(double most) {
    const double share = best_step(loads_s_, direction_s_, most, softness_s_);
    for (std::size_t index = 0; index < loads_s_.size(); ++index) {
      loads_s_[index] += share * direction_s_[index];
    }
    return share;
  }

  void take_over(const Tree& tree, std::size_t from) {
    std::fill(direction_s_.begin(), direction_s_.end(), 0);
    platform_.add_tree(tree, 1, direction_s_);
    platform_.add_tree(members_[from].tree, -1, direction_s_);
    Member& dear = members_[from];
    double share = move(dear.share);
    dear.share -= share;
    const bool is_spent = dear.share <= negligible_share;
    if (is_spent) share += take_over_of_all(tree);
    if (share <= 0) return;
    if (is_spent) {
      dear = {tree, share};
    } else {
      members_.push_back({tree, share});
    }
  }

  // Where the dear tree had less than would have been best: the like share of all.
  double take_over_of_all(const Tree& tree) {
    for (std::size_t index = 0; index < loads_s_.size(); ++index) {
      direction_s_[index] = -loads_s_[index];
    }
    platform_.add_tree(tree, 1, direction_s_);
    const double share = move(1);
    for (Member& member : members_) member.share *= 1 - share;
    return share;
  }

  const SlicePlatform& platform_;
  ArborescenceFinder finder_;
  std::vector<double> costs_;
  std::vector<double> loads_s_;
  std::vector<double> direction_s_;
  std::vector<Member> members_;
  double softness_s_ = 0;
  double bound_s_ = 0;
  double period_s_ = 0;
  std::int64_t steps_ = 0;
  std::size_t next_ = 0;
  std::size_t last_dearest_ = 0;
};

}  // namespace

Packing pack_trees(const SlicePlatform& platform, std::int32_t root, double gap,
                   const std::function<bool(const PackingProgress&)>& proceed) {
  if (!(gap >= 0)) throw std::invalid_argument("the gap must not be negative");
  Packer packer(platform, root);
  const double sufficient = std::max(spent_on_shares * gap, rounding);
  do {
    packer.step();
  } while (packer.progress().gap() > sufficient && !packer.is_sharpest() &&
           proceed(packer.progress()));
  return packer.finish(gap);
}

}  // namespace anabranch::platform
