// Which bytes a block is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace anabranch {

struct ByteRange {
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

class Layout {
 public:
  Layout() = default;

  // Blocks of ceil(total / blocks) bytes, rounded up to whole elements; the last ones may be
  // shorter or empty (paper C, listing 1).
  static Layout uniform(std::int64_t total_bytes, std::int32_t blocks,
                        std::int64_t element_bytes = 1) {
    Layout layout;
    layout.total_bytes_ = total_bytes;
    const std::int64_t count = std::max(blocks, 1);
    const std::int64_t even = (total_bytes + count - 1) / count;
    layout.block_bytes_ = (even + element_bytes - 1) / element_bytes * element_bytes;
    return layout;
  }

  // Parts of one size, each cut into as many blocks like a message of its own. Blocks behind the
  // last part go on in the same way.
  static Layout of_parts(std::int64_t part_bytes, std::int32_t parts,
                         std::int32_t blocks_per_part) {
    Layout layout = uniform(part_bytes, blocks_per_part);
    layout.total_bytes_ = part_bytes * parts;
    layout.part_bytes_ = part_bytes;
    layout.blocks_per_part_ = blocks_per_part;
    return layout;
  }

  // Blocks of given sizes, one behind the other.
  static Layout of_sizes(const std::vector<std::int64_t>& sizes_bytes) {
    Layout layout;
    layout.offsets_.reserve(sizes_bytes.size() + 1);
    layout.offsets_.push_back(0);
    for (const std::int64_t size : sizes_bytes) {
      layout.offsets_.push_back(layout.offsets_.back() + size);
    }
    layout.total_bytes_ = layout.offsets_.back();
    return layout;
  }

  // `count` neighbouring blocks are one range.
  ByteRange of(std::int32_t first, std::int32_t count = 1) const {
    const std::int64_t begin = offset(first);
    return {begin, offset(first + count) - begin};
  }

  std::int64_t total_bytes() const { return total_bytes_; }

 private:
  std::int64_t offset(std::int32_t block) const {
    if (!offsets_.empty()) return offsets_[static_cast<std::size_t>(block)];
    if (blocks_per_part_ == 0) return std::min(total_bytes_, block * block_bytes_);
    const std::int64_t within = block % blocks_per_part_ * block_bytes_;
    return block / blocks_per_part_ * part_bytes_ + std::min(part_bytes_, within);
  }

  std::int64_t total_bytes_ = 0;
  std::int64_t block_bytes_ = 0;
  std::int64_t part_bytes_ = 0;
  std::int32_t blocks_per_part_ = 0;   // 0: no parts
  std::vector<std::int64_t> offsets_;  // empty: blocks of block_bytes_
};

// Of each buffer, indexed by Buffer.
using Layouts = std::array<Layout, 3>;

}  // namespace anabranch
