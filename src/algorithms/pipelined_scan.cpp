#include "algorithms/pipelined_scan.hpp"

#include <algorithm>

#include "schedule/builder.hpp"

namespace anabranch {

Schedule pipelined_scan(std::int32_t ranks, std::int32_t rank, std::int32_t block_count, Values) {
  Builder builder(ranks, rank, std::max(ranks - 2 + block_count, 1), block_count);
  builder.input(block_count);
  builder.copy(0, blocks(0, block_count), blocks(0, block_count, Buffer::input));
  const Repeat each_block{.count = block_count};
  if (rank > 0) {
    builder.reduce(rank - 1, rank - 1, block(0), OperandOrder::theirs_first, each_block);
  }
  if (rank + 1 < ranks) builder.send(rank, rank + 1, block(0), each_block);
  return std::move(builder).finish();
}

}  // namespace anabranch
