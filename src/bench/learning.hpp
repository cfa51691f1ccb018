// What serves calls by default once the guard has compared (select/trial.hpp). Measured calls
// change the algorithm each time, with which the guard begins anew: so it learns before.
#pragma once

#include <string>

namespace anabranch::bench {

constexpr const char* by_default = "auto";  // an algorithm that may be measured

class Learning {
 public:
  // After each call: what served it.
  void note(const std::string& ran) {
    if (first_.empty()) first_ = ran;
    in_a_row_ = ran == last_ ? in_a_row_ + 1 : 1;
    last_ = ran;
  }
  // What has served for so long that no protocol looks in between; empty where that is what served
  // at first, or where nothing has.
  std::string result() const {
    const bool is_settled = in_a_row_ >= calls_that_settle && last_ != first_;
    return is_settled ? last_ : "";
  }

 private:
  static constexpr int calls_that_settle = 34;
  std::string first_, last_;
  int in_a_row_ = 0;
};

}  // namespace anabranch::bench
