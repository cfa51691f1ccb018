// Tags of the collectives on one communicator, in the order in which all ranks call them.
//
// Each collective has two: one for its blocks, and the next one for control messages. MPI
// guarantees tags only up to 32,767, so they are used again. That is safe where, on each rank, a
// collective is over before another one with its tags begins: MPI matches messages of one sender in
// their order. So whoever takes a tag asks first whether it is free, and gives it back when the
// collective is over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace anabranch {

class TagSequence {
 public:
  static constexpr std::int32_t guaranteed_upper_bound = 32767;

  explicit TagSequence(std::int32_t upper_bound = guaranteed_upper_bound)
      : upper_bound_(upper_bound) {}

  std::int32_t upcoming() const { return next_; }
  // Whether no collective of this rank has the next tag.
  bool next_is_free() const { return std::ranges::find(in_use_, next_) == in_use_.end(); }
  // Of the blocks.
  std::int32_t next() {
    const std::int32_t tag = next_;
    next_ = next_ + 3 > upper_bound_ ? 0 : next_ + 2;
    in_use_.push_back(tag);
    return tag;
  }
  void give_back(std::int32_t tag) {
    const auto found = std::ranges::find(in_use_, tag);
    if (found == in_use_.end()) return;
    *found = in_use_.back();
    in_use_.pop_back();
  }
  static std::int32_t of_control(std::int32_t tag) { return tag + 1; }

 private:
  std::int32_t upper_bound_;
  std::int32_t next_ = 0;
  std::vector<std::int32_t> in_use_;  // few: those of collectives under way
};

// The next tag, until the end of its scope.
class BorrowedTag {
 public:
  explicit BorrowedTag(TagSequence& from) : from_(from), tag_(from.next()) {}
  ~BorrowedTag() { from_.give_back(tag_); }
  BorrowedTag(const BorrowedTag&) = delete;
  BorrowedTag& operator=(const BorrowedTag&) = delete;

  std::int32_t get() const { return tag_; }

 private:
  TagSequence& from_;
  std::int32_t tag_;
};

}  // namespace anabranch
