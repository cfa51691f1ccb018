// Where the blocks of a schedule are when it becomes part of another one.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "schedule/schedule.hpp"

namespace anabranch {

// Of one buffer: block b becomes block table[b] of `buffer`, or first + step b where there is no
// table; a step of -1 turns their order round, and then it does so in all buffers. Negative entries
// and blocks from `limit` on are left out of all messages and copies; both ends of a message must
// agree on that.
struct Place {
  Buffer buffer = Buffer::output;
  std::int32_t first = 0;
  std::int32_t step = 1;
  std::int32_t limit = std::numeric_limits<std::int32_t>::max();
  std::span<const std::int32_t> table = {};

  std::int32_t at(std::int32_t block) const;
  // Whether blocks low .. high are all there, and next to each other as before.
  bool is_shift(std::int32_t low, std::int32_t high) const;
};

// Two buffers may become one; what is copied onto itself is left out.
struct Relocation {
  Place input{Buffer::input};
  Place output{Buffer::output};
  Place scratch{Buffer::scratch};

  const Place& of(Buffer buffer) const {
    if (buffer == Buffer::input) return input;
    return buffer == Buffer::output ? output : scratch;
  }
};

}  // namespace anabranch
