// Algorithms that react to arrivals: what they do depends on who is there.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "model/fluid_algorithms.hpp"

namespace anabranch::fluid {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr Rank nobody = -1;

bool all_complete(const State& state) {
  for (Rank rank = 0; rank < state.ranks(); ++rank) {
    if (!state.complete(rank)) return false;
  }
  return true;
}

// The first of the ranks that satisfies a condition.
template <typename Condition>
Rank first_that(const State& state, Condition condition) {
  for (Rank rank = 0; rank < state.ranks(); ++rank) {
    if (condition(rank)) return rank;
  }
  return nobody;
}

// arrival_b and arrival_nb. A round is a chain through all that are there when it begins; it takes
// T. With nobody there the root waits (blocking) or sends to the absent one of the lowest rank.
class Rounds : public Policy {
 public:
  bool may_leave(const State& state, Rank rank) override {
    return rank == root ? all_complete(state) : state.complete(rank);
  }

  double transfers(const State& state, std::vector<Transfer>& wanted) override {
    if (is_over(state)) begin(state);
    Rank previous = root;
    for (const Rank member : members_) {
      wanted.push_back({previous, member});
      previous = member;
    }
    return never;
  }

 private:
  bool is_over(const State& state) const {
    return members_.empty() || state.complete(members_.back());
  }

  void begin(const State& state) {
    members_.clear();
    for (const Rank rank : state.order_of_arrival()) {
      if (!state.complete(rank)) members_.push_back(rank);
    }
    if (!members_.empty() || state.model() == Model::blocking) return;
    const Rank absent = first_that(state, [&](Rank rank) { return !state.complete(rank); });
    if (absent != nobody) members_.push_back(absent);
  }

  std::vector<Rank> members_;
};

// Those that are there are a train: each pulls from the one before it, which has more; the one at
// the head, whose predecessor has left, pulls from the root.
class Baton : public Policy {
 public:
  bool may_leave(const State& state, Rank rank) override {
    return rank == root ? all_complete(state) : state.complete(rank);
  }

  double transfers(const State& state, std::vector<Transfer>& wanted) override {
    const std::span<const Rank> order = state.order_of_arrival();
    while (head_ < order.size() && state.complete(order[head_])) ++head_;
    Rank previous = root;
    for (std::size_t i = head_; i < order.size(); ++i) {
      wanted.push_back({previous, order[i]});
      previous = order[i];
    }
    return never;
  }

 private:
  std::size_t head_ = 1;  // whoever arrived before has left; the root is first
};

// Present or not, nobody is sent what it has: data that wait for an absent process are a prefix,
// and it joins those present by how much it has.
class LongestPrefix : public Policy {
 public:
  bool may_leave(const State& state, Rank rank) override {
    return rank == root ? all_complete(state) : state.complete(rank);
  }

  double transfers(const State& state, std::vector<Transfer>& wanted) override {
    sort_present(state);
    Rank previous = root;
    for (const Rank rank : present_) {
      wanted.push_back({previous, rank});
      previous = rank;
    }
    return to_absent(state, previous, wanted);
  }

 private:
  void sort_present(const State& state) {
    present_.clear();
    for (const Rank rank : state.order_of_arrival()) {
      if (!state.complete(rank)) present_.push_back(rank);
    }
    std::stable_sort(present_.begin(), present_.end(),
                     [&state](Rank a, Rank b) { return state.prefix(a) > state.prefix(b); });
  }

  // To the absent one that has the most of those that have no more than the sender. The sender
  // grows; returns when the next one comes into question.
  static double to_absent(const State& state, Rank sender, std::vector<Transfer>& wanted) {
    Rank best = nobody;
    double next = never;
    for (Rank rank = 0; rank < state.ranks(); ++rank) {
      if (state.arrived(rank) || state.complete(rank)) continue;
      if (state.is_ahead(rank, sender)) {
        next = std::min(next, state.prefix(rank) - state.prefix(sender));
      } else if (best == nobody || state.prefix(rank) > state.prefix(best)) {
        best = rank;
      }
    }
    if (best != nobody) wanted.push_back({sender, best});
    return next;
  }

  std::vector<Rank> present_;
};

}  // namespace

std::unique_ptr<Policy> make_rounds(std::span<const double>) { return std::make_unique<Rounds>(); }
std::unique_ptr<Policy> make_baton(std::span<const double>) { return std::make_unique<Baton>(); }
std::unique_ptr<Policy> make_longest_prefix(std::span<const double>) {
  return std::make_unique<LongestPrefix>();
}

}  // namespace anabranch::fluid
