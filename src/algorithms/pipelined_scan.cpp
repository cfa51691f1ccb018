#include "algorithms/pipelined_scan.hpp"

#include <algorithm>

#include "schedule/builder.hpp"

namespace anabranch {

Schedule pipelined_scan(const Group& group, std::int32_t block_count, Values) {
  Builder builder(group.ranks, group.rank, std::max(group.ranks - 2 + block_count, 1), block_count);
  builder.input(block_count);
  builder.copy(0, blocks(0, block_count), blocks(0, block_count, Buffer::input));
  const Repeat each_block{.count = block_count};
  if (group.rank > 0) {
    builder.reduce(group.rank - 1, group.rank - 1, block(0), OperandOrder::theirs_first,
                   each_block);
  }
  if (group.rank + 1 < group.ranks) builder.send(group.rank, group.rank + 1, block(0), each_block);
  return std::move(builder).finish();
}

}  // namespace anabranch
