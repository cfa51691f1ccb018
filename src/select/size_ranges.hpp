// Which algorithm is set for which sizes of one collective.
//
// Written as `auto`, as one algorithm for all sizes (`bcast/chain:segment=4KiB`), or as one for
// each range of sizes: `0-4KiB:native,64KiB-:bcast/baton:segment=4KiB,gather=50`. A range goes from
// its first size up to, but without, its last one; sizes in no range are auto.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace anabranch {

struct SizeRange {
  static constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

  std::int64_t first_bytes = 0;
  std::int64_t end_bytes = no_end;  // the first size beyond it
  Selection selection;
};

class SizeRanges {
 public:
  // Throws std::invalid_argument with one line that says what is valid.
  static SizeRanges parse(Collective collective, std::string_view text);
  // In the order of sizes; parse reads it back.
  std::string text() const;

  // Null where the choice is left to the library.
  const Selection* at(std::int64_t size_bytes) const;
  // In the order of sizes; none overlap.
  const std::vector<SizeRange>& ranges() const { return ranges_; }

 private:
  std::vector<SizeRange> ranges_;
};

}  // namespace anabranch
