// A queue in one piece of memory.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace anabranch {

template <typename T>
class Fifo {
 public:
  bool empty() const { return head_ == entries_.size(); }
  const T& front() const { return entries_[head_]; }
  void push(T value) {
    if (head_ > entries_.size() / 2) {
      entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    entries_.push_back(std::move(value));
  }
  T pop() { return std::move(entries_[head_++]); }

 private:
  std::vector<T> entries_;
  std::size_t head_ = 0;
};

}  // namespace anabranch
