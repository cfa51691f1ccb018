// Tags of the operations on one communicator, in the order in which all ranks call them.
//
// MPI guarantees tags only up to 32,767, so they are used again. That is safe as long as a rank has
// fewer operations under way at once: those that share a tag follow each other on every rank, and
// MPI matches messages of one sender in their order.
#pragma once

#include <cstdint>

namespace anabranch {

class TagSequence {
 public:
  static constexpr std::int32_t guaranteed_upper_bound = 32767;

  explicit TagSequence(std::int32_t upper_bound = guaranteed_upper_bound)
      : upper_bound_(upper_bound) {}

  std::int32_t next() {
    const std::int32_t tag = next_;
    next_ = next_ == upper_bound_ ? 0 : next_ + 1;
    return tag;
  }

 private:
  std::int32_t upper_bound_;
  std::int32_t next_ = 0;
};

}  // namespace anabranch
