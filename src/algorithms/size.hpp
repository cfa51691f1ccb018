// Sizes as people write them: 4096, 4KiB, 64k, 1MiB, 2G.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace anabranch {

// A whole number with an optional unit B, k, m, g or t, or KiB, MiB, GiB or TiB, in either case;
// all are powers of 1024. Throws std::invalid_argument with one line that says what is valid.
std::int64_t parse_size(std::string_view text);

// The shortest exact form that parse_size reads back: 65536 -> "64KiB", 1000 -> "1000".
std::string format_size(std::int64_t size_bytes);

}  // namespace anabranch
