// Which blocks of a message a rank holds: those before `prefix()`, and some behind.
#pragma once

#include <cstdint>
#include <vector>

namespace anabranch {

class HeldBlocks {
 public:
  HeldBlocks(std::int32_t count, std::int32_t held) : count_(count), prefix_(held) {}

  std::int32_t prefix() const { return prefix_; }
  bool all() const { return prefix_ == count_; }

  void add(std::int32_t block) {
    if (block != prefix_) {
      if (ahead_.empty()) ahead_.resize(static_cast<std::size_t>(count_));
      ahead_[static_cast<std::size_t>(block)] = true;
      return;
    }
    ++prefix_;
    if (ahead_.empty()) return;
    while (prefix_ < count_ && ahead_[static_cast<std::size_t>(prefix_)]) ++prefix_;
  }

  void describe_state(std::vector<std::int32_t>& state) const {
    state.push_back(prefix_);
    for (std::int32_t block = prefix_; block < count_ && !ahead_.empty(); ++block) {
      state.push_back(ahead_[static_cast<std::size_t>(block)] ? 1 : 0);
    }
  }

 private:
  std::int32_t count_;
  std::int32_t prefix_;
  std::vector<bool> ahead_;  // a bit a block, once one came out of order
};

}  // namespace anabranch
