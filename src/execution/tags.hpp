// Tags of the operations on one communicator, in the order in which all ranks call them.
//
// Each operation has two: one for its blocks, and the next one for words. MPI guarantees tags only
// up to 32,767, so they are used again. That is safe where, on each rank, an operation is over
// before another one with its tags begins: MPI matches messages of one sender in their order.
#pragma once

#include <cstdint>

namespace anabranch {

class TagSequence {
 public:
  static constexpr std::int32_t guaranteed_upper_bound = 32767;

  explicit TagSequence(std::int32_t upper_bound = guaranteed_upper_bound)
      : upper_bound_(upper_bound) {}

  // Of the blocks.
  std::int32_t next() {
    const std::int32_t tag = next_;
    next_ = next_ + 3 > upper_bound_ ? 0 : next_ + 2;
    return tag;
  }
  static std::int32_t of_words(std::int32_t tag) { return tag + 1; }

 private:
  std::int32_t upper_bound_;
  std::int32_t next_ = 0;
};

}  // namespace anabranch
