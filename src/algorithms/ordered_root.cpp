#include "algorithms/ordered_root.hpp"

#include <tuple>
#include <vector>

#include "collectives/relative_rank.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

Schedule ordered_reduction(MakeSchedule reduction, const Group& group, std::int32_t block_count,
                           Values values) {
  const auto [ranks, rank, root] = std::tuple(group.ranks, group.rank, group.root);
  Group from_first = group;
  from_first.rank = absolute_rank(rank, root, ranks);
  from_first.root = 0;
  const Schedule reduced = reduction(from_first, block_count, values);
  if (root == 0) return reduced;
  std::vector<std::int32_t> members;
  for (std::int32_t other = 0; other < ranks; ++other) {
    members.push_back(relative_rank(other, root, ranks));
  }
  const std::int32_t first = members[0];
  Builder builder(ranks, rank, reduced.rounds + block_count, rank == 0 ? block_count : 0);
  builder.input(block_count);
  if (rank != first) {
    builder.append(reduced, 0, members, {});
    // Segments of a reduction come last one first.
    if (rank == 0) {
      builder.receive(reduced.rounds, first, block(block_count - 1),
                      {.count = block_count, .block_step = -1});
    }
    return std::move(builder).finish();
  }
  builder.append(reduced, 0, members,
                 {.output = {Buffer::scratch}, .scratch = {Buffer::scratch, block_count}});
  builder.send(reduced.rounds, 0, block(block_count - 1, Buffer::scratch),
               {.count = block_count, .block_step = -1});
  return std::move(builder).finish();
}

}  // namespace anabranch
