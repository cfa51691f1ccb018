#include "collectives/layouts.hpp"

#include "collectives/semantics.hpp"

namespace anabranch {

Layouts even_layouts(Collective collective, std::int32_t ranks, std::int32_t blocks,
                     std::int64_t size_bytes) {
  const Semantics semantics(collective, ranks, blocks);
  const std::int32_t parts = has_parts(collective) ? ranks : 1;
  const std::int64_t part_bytes = (size_bytes + parts - 1) / parts;
  const auto of = [&](std::int32_t count) { return Layout::of_parts(part_bytes, count, blocks); };
  Layouts layouts;
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    layouts[static_cast<std::size_t>(buffer)] = of(semantics.blocks_in(0, buffer) / blocks);
  }
  layouts[static_cast<std::size_t>(Buffer::scratch)] = of(parts);
  return layouts;
}

}  // namespace anabranch
