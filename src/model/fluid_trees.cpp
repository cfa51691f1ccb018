// Trees: who receives from whom does not depend on what happens.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "model/fluid_algorithms.hpp"

namespace anabranch::fluid {
namespace {

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

// When a process may send on what it receives.
enum class Forwarding : std::uint8_t { from_first_bit, whole_message };

class Tree : public Policy {
 public:
  // top_down: all processes, each after its parent.
  Tree(std::vector<std::vector<Rank>> children, std::vector<Rank> top_down, Forwarding forwarding)
      : children_(std::move(children)),
        top_down_(std::move(top_down)),
        forwarding_(forwarding),
        served_(children_.size()),
        receives_(children_.size()) {}

  bool may_leave(const State& state, Rank rank) override {
    return state.complete(rank) && !next_child(state, rank);
  }

  double transfers(const State& state, std::vector<Transfer>& wanted) override {
    std::fill(receives_.begin(), receives_.end(), false);
    for (const Rank rank : top_down_) {
      if (!state.present(rank)) continue;
      const Rank* child = next_child(state, rank);
      if (!child || !state.reachable(*child)) continue;
      const bool has_some = state.is_ahead(rank, *child) || receives_[at(rank)];
      if (!(forwarding_ == Forwarding::from_first_bit ? has_some : state.complete(rank))) continue;
      wanted.push_back({rank, *child});
      receives_[at(*child)] = true;
    }
    return std::numeric_limits<double>::infinity();
  }

 private:
  const Rank* next_child(const State& state, Rank rank) {
    const std::vector<Rank>& children = children_[at(rank)];
    std::size_t& served = served_[at(rank)];
    while (served < children.size() && state.complete(children[served])) ++served;
    return served < children.size() ? &children[served] : nullptr;
  }

  std::vector<std::vector<Rank>> children_;
  std::vector<Rank> top_down_;
  Forwarding forwarding_;
  std::vector<std::size_t> served_;
  std::vector<bool> receives_;
};

std::vector<Rank> by_rank(std::size_t count) {
  std::vector<Rank> ranks(count);
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

std::unique_ptr<Policy> chain_through(std::vector<Rank> order) {
  std::vector<std::vector<Rank>> children(order.size());
  for (std::size_t i = 1; i < order.size(); ++i) children[at(order[i - 1])] = {order[i]};
  return std::make_unique<Tree>(std::move(children), std::move(order), Forwarding::from_first_bit);
}

}  // namespace

std::unique_ptr<Policy> make_flat(std::span<const double> arrivals) {
  std::vector<Rank> ranks = by_rank(arrivals.size());
  std::vector<std::vector<Rank>> children(arrivals.size());
  children[root].assign(ranks.begin() + 1, ranks.end());
  return std::make_unique<Tree>(std::move(children), std::move(ranks), Forwarding::from_first_bit);
}

std::unique_ptr<Policy> make_chain(std::span<const double> arrivals) {
  return chain_through(by_rank(arrivals.size()));
}

// Section 3.3 describes it in steps, in each of which those that have the message send it. The
// assumption that any message can be forwarded from its first bit on (3.1) would make a tree in
// which receivers leave sooner, but not the root; the theorem holds for both.
std::unique_ptr<Policy> make_binomial(std::span<const double> arrivals) {
  std::vector<Rank> ranks = by_rank(arrivals.size());
  std::vector<std::vector<Rank>> children(arrivals.size());
  for (std::size_t step = 1; step < arrivals.size(); step *= 2) {
    for (std::size_t rank = 0; rank < step && rank + step < arrivals.size(); ++rank) {
      children[rank].push_back(static_cast<Rank>(rank + step));
    }
  }
  return std::make_unique<Tree>(std::move(children), std::move(ranks), Forwarding::whole_message);
}

std::unique_ptr<Policy> make_nearopt(std::span<const double> arrivals) {
  std::vector<Rank> order = by_rank(arrivals.size());
  std::stable_sort(order.begin() + 1, order.end(), [arrivals](Rank a, Rank b) {
    return std::max(arrivals[at(a)], arrivals[root]) < std::max(arrivals[at(b)], arrivals[root]);
  });
  return chain_through(std::move(order));
}

}  // namespace anabranch::fluid
