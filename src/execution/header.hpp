// What a message begins with where not all ranks know all sizes: 64-bit integers, before its data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace anabranch {

struct Header {
  // Of all parts together, in a collective whose root tells it to the others.
  std::optional<std::int64_t> total_bytes;
  // Of the blocks that follow, where they carry their sizes.
  std::vector<std::int64_t> sizes;

  std::int64_t bytes() const;
  // Writes so many bytes.
  void write(char* to) const;
};

// Of a message with so many sizes. Nothing where it is too short for them, or where they are not
// those of what follows.
std::optional<Header> read_header(std::span<const char> message, bool has_total,
                                  std::int64_t size_count);

}  // namespace anabranch
