// What a rank has of each buffer of a collective, whatever the number of ranks: its semantics,
// looked up once.
#pragma once

#include <array>
#include <cstdint>

#include "collectives/collective.hpp"
#include "schedule/schedule.hpp"

namespace anabranch {

// Where a collective has no parts, the whole message is one.
enum class PartCount : std::uint8_t { none, one, one_per_rank };

struct BufferUse {
  PartCount parts = PartCount::none;
  bool is_given = false;   // holds something before the collective
  bool is_filled = false;  // holds nothing before it, and gets something
};

struct BufferUses {
  std::array<BufferUse, 2> buffers;  // input and output
  // The buffer whose arguments tell all that a rank knows of the sizes of parts, and which it never
  // lacks nor has in place: the larger one, of equals the output, unless only the input is
  // combined.
  Buffer size_source = Buffer::output;
  bool has_parts = false;
  bool is_combined = false;

  const BufferUse& of(Buffer buffer) const { return buffers[static_cast<std::size_t>(buffer)]; }
};

// `is_first`: of the root, or of rank 0 where there is none; else of any other rank.
const BufferUses& uses_of(Collective collective, bool is_first);

}  // namespace anabranch
