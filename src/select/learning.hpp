// What serves calls by default once the guard has compared (trial.hpp), as a benchmark learns it
// from the first calls. Those that it measures change the algorithm each time, with which the guard
// begins anew.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "select/trial.hpp"

namespace anabranch {

class Learning {
 public:
  // After each call: what served it.
  void note(const std::string& ran) {
    if (first_.empty()) first_ = ran;
    if (is_look(ran)) {
      has_looked_ = true;
      return;
    }
    has_looked_ = false;
    in_a_row_ = ran == last_ ? in_a_row_ + 1 : 1;
    last_ = ran;
    const auto found = std::ranges::find(since_, ran, &Calls::first);
    if (found != since_.end()) {
      ++found->second;
    } else {
      since_.emplace_back(ran, 1);
    }
    if (in_a_row_ < calls_that_settle) return;
    settled_ = ran;
    for (const auto& [name, calls] : since_) before_.insert(name);
    since_.clear();
  }
  // What would go on serving calls; empty where that is what served at first, or where nothing has
  // served for so long that no protocol looks in between. That is who won the last round of a
  // trial, after which the winner goes on until the sums of the next one are known; or who has
  // since begun a round in which the former winner has no turn.
  std::string result() const {
    std::string found = settled_;
    int most = 0;
    for (const auto& [name, calls] : since_) {
      // What is there for the first time did not win.
      if (!is_in_round_of_others() || !before_.contains(name) || calls <= most) continue;
      found = name;
      most = calls;
    }
    return found != first_ ? found : "";
  }

 private:
  // A protocol that lost against native looks now and then whether ranks come late.
  bool is_look(const std::string& ran) const {
    constexpr int least_between = 4;
    return ran == first_ && last_.ends_with("native") && in_a_row_ >= least_between && !has_looked_;
  }

  using Calls = std::pair<std::string, int>;  // of an algorithm

  // For more than one turn.
  bool is_in_round_of_others() const {
    const bool is_long = since_.size() > 1 || since_[0].second > Trial::most_calls_a_turn;
    return is_long && std::ranges::find(since_, settled_, &Calls::first) == since_.end();
  }

  static constexpr int calls_that_settle = Trial::calls_until_known;
  std::string first_, last_, settled_;
  int in_a_row_ = 0;
  bool has_looked_ = false;  // in the last call
  // Until it was settled the last time, and since then, in the order in which they came.
  std::set<std::string> before_;
  std::vector<Calls> since_;
};

}  // namespace anabranch
