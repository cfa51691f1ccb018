// Where the blocks of a buffer lie: it is of parts, one per rank or just one, which need not be
// neighbours, and each part is cut into as many blocks as the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedule/layout.hpp"

namespace anabranch::mpi {

// In units, from where the buffer begins.
struct Part {
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

class PartLayout {
 public:
  PartLayout() = default;
  // base: from where parts count; null where only their sizes matter.
  PartLayout(std::vector<Part> parts, std::int32_t blocks_per_part, char* base = nullptr)
      : base_(base), parts_(std::move(parts)), blocks_per_part_(std::max(blocks_per_part, 1)) {}

  char* base() const { return base_; }

  std::int32_t blocks() const {
    return static_cast<std::int32_t>(parts_.size()) * blocks_per_part_;
  }
  const std::vector<Part>& parts() const { return parts_; }
  std::int32_t blocks_per_part() const { return blocks_per_part_; }

  std::int64_t count() const {
    std::int64_t count = 0;
    for (const Part& part : parts_) count += part.count;
    return count;
  }

  // Calls take(Part) for the neighbours among blocks first .. first + count - 1.
  template <typename Take>
  void of(std::int32_t first, std::int32_t count, Take take) const {
    while (count > 0) {
      const Part& part = parts_[static_cast<std::size_t>(first / blocks_per_part_)];
      const std::int32_t begin = first % blocks_per_part_;
      const std::int32_t here = std::min(count, blocks_per_part_ - begin);
      const ByteRange range = Layout::uniform(part.count, blocks_per_part_).of(begin, here);
      if (range.size_bytes > 0) take(Part{part.offset + range.offset_bytes, range.size_bytes});
      first += here;
      count -= here;
    }
  }

 private:
  char* base_ = nullptr;
  std::vector<Part> parts_;
  std::int32_t blocks_per_part_ = 1;
};

}  // namespace anabranch::mpi
