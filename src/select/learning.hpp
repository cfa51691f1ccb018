// What serves calls by default once the guard has compared (trial.hpp), as a benchmark learns it
// from the first calls. Those that it measures change the algorithm each time, with which the guard
// begins anew.
#pragma once

#include <algorithm>
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
    in_a_row_ = ran == last_ ? in_a_row_ + 1 : 1;
    last_ = ran;
    count(ran, since_);
    if (in_a_row_ < calls_that_settle) return;
    settled_ = ran;
    for (const auto& [name, calls] : since_) count(name, before_);
    since_.clear();
  }
  // What would go on serving calls; empty where that is what served at first, or where nothing has
  // served for so long that no protocol looks in between. That is who won the last round of a
  // trial, after which the winner goes on until the sums of the next one are known; or who has
  // since begun a round in which the former winner has no turn.
  std::string result() const {
    if (settled_.empty()) return "";
    std::string found = settled_;
    int most = 0;
    for (const auto& [name, calls] : since_) {
      // What is there for the first time did not win.
      const bool may_have_won = calls_in(before_, name) > 0 && is_round_of_others();
      if (!may_have_won || calls <= most) continue;
      found = name;
      most = calls;
    }
    return found != first_ ? found : "";
  }

 private:
  using Counts = std::vector<std::pair<std::string, int>>;

  static int calls_in(const Counts& counts, const std::string& name) {
    const auto found = std::ranges::find(counts, name, &Counts::value_type::first);
    return found == counts.end() ? 0 : found->second;
  }
  static void count(const std::string& name, Counts& counts) {
    const auto found = std::ranges::find(counts, name, &Counts::value_type::first);
    if (found != counts.end()) {
      ++found->second;
    } else {
      counts.emplace_back(name, 1);
    }
  }

  // More than one turn.
  bool is_round_of_others() const {
    const bool is_long = since_.size() > 1 || since_.front().second > Trial::most_calls_a_turn;
    return is_long && calls_in(since_, settled_) == 0;
  }

  static constexpr int calls_that_settle = Trial::calls_until_known;
  std::string first_, last_, settled_;
  int in_a_row_ = 0;
  Counts before_, since_;  // it was settled the last time
};

}  // namespace anabranch
