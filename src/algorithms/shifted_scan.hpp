// Exclusive scans as scans of what the rank before contributes.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "algorithms/instantiate.hpp"
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

// Each rank sends its message to the next one; then all ranks but the first scan what they have
// got, in place.
template <const Algorithm& scan>
struct ShiftedScan {
  static Schedule generate(const Group& group, std::int32_t block_count, Values values) {
    const std::int32_t scanning = std::max(group.ranks - 1, 1);
    const Schedule scanned = make_schedule(
        scan, {.ranks = scanning, .rank = std::max(group.rank - 1, 0)}, block_count, values);
    const std::int32_t rounds = block_count + (group.ranks > 2 ? scanned.rounds : 0);
    Builder builder(group.ranks, group.rank, rounds, block_count);
    builder.input(block_count);
    const Repeat each_block{.count = block_count};
    if (group.rank + 1 < group.ranks)
      builder.send(0, group.rank + 1, block(0, Buffer::input), each_block);
    if (group.rank == 0) return std::move(builder).finish();
    builder.receive(0, group.rank - 1, block(0), each_block);
    std::vector<std::int32_t> members(static_cast<std::size_t>(scanning));
    std::iota(members.begin(), members.end(), 1);
    builder.append(scanned, block_count, members, {.input = {Buffer::output}});
    return std::move(builder).finish();
  }

  static double cost_s(const Problem& problem, Values values) {
    if (problem.ranks == 1) return 0;
    const std::int32_t blocks = scan.blocks(problem, values);
    Problem scanning = problem;
    --scanning.ranks;
    return rounds_time_s(problem, blocks, blocks) + scan.cost_s(scanning, values);
  }
};

}  // namespace anabranch
