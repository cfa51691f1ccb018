#include "model/message_size.hpp"

#include <cstddef>

namespace anabranch {

std::int64_t bytes_of(const Action& action, const Layouts& layouts) {
  constexpr std::int64_t size_field_bytes = 8;
  std::int64_t bytes = 0;
  for (const BlockSet& set : action.block_sets) {
    const Layout& layout = layouts[static_cast<std::size_t>(set.buffer)];
    if (action.carries_sizes) bytes += set.count * size_field_bytes;
    if (set.stride == 1) {
      bytes += layout.of(set.first + action.block_shift, set.count).size_bytes;
      continue;
    }
    for (std::int32_t i = 0; i < set.count; ++i) {
      bytes += layout.of(set.at(i) + action.block_shift).size_bytes;
    }
  }
  return bytes;
}

}  // namespace anabranch
