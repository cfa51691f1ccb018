#include "model/message_size.hpp"

#include <cstddef>

namespace anabranch {

std::int64_t bytes_of(const Action& action, const Layouts& layouts) {
  constexpr std::int64_t size_field_bytes = 8;
  std::int64_t bytes = 0;
  for (const BlockSet& part : action.parts) {
    const Layout& layout = layouts[static_cast<std::size_t>(part.buffer)];
    if (action.carries_sizes) bytes += part.count * size_field_bytes;
    if (part.stride == 1) {
      bytes += layout.of(part.first + action.block_shift, part.count).size_bytes;
      continue;
    }
    for (std::int32_t i = 0; i < part.count; ++i) {
      bytes += layout.of(part.at(i) + action.block_shift).size_bytes;
    }
  }
  return bytes;
}

}  // namespace anabranch
