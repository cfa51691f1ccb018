// In round k each rank sends to the one k ahead and receives from the one k behind.
//
// Segments take turns: the first one to each rank, then the second one to each, .. And no rank is
// more than some rounds ahead of what it still waits for. So all ranks send to different ones most
// of the time, and all ports are busy until the end.
//
// When: long messages, as each port carries what it must and one message at a time. Also where
// ranks know the sizes of their own parts only. Cost: (p - 1) n alpha + (p - 1) / p beta m.
// Source: paper D, section 4.5.
#include "algorithms/parts.hpp"
#include "evidence/evidence.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

// The shorter, the fewer ranks crowd at a receiver. Else twice what goes without a handshake: here
// handshakes keep senders from that.
std::int64_t best_segment_bytes(const Problem& problem) {
  const std::int64_t part_bytes = std::max<std::int64_t>(problem.part_bytes(), 1);
  const std::int64_t short_bytes = tuned::segment_of_alltoall.value;
  return std::min(
      {part_bytes, 2 * best_part_segment_bytes(problem),
       hides_latencies(problem.network, short_bytes) ? short_bytes : longest_segment_bytes});
}

constexpr Parameter parameters[] = {
    part_segment(best_segment_bytes),
    {.name = "ahead",
     .summary = "rounds that a rank may be ahead of the messages that it waits for",
     .minimum = 1,
     .maximum = 1000,
     .default_value = [](const Problem&) { return tuned::lookahead_of_alltoall.value; }}};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  Builder builder =
      alltoall_builder(group.ranks, group.rank, (group.ranks - 1) * block_count, block_count);
  builder.reserve(2 * static_cast<std::size_t>(group.ranks));
  const Repeat in_turn{.count = block_count, .round_step = group.ranks - 1};
  for (std::int32_t distance = 1; distance < group.ranks; ++distance) {
    const std::int32_t to = (group.rank + distance) % group.ranks;
    const std::int32_t from = (group.rank - distance + group.ranks) % group.ranks;
    const std::int32_t round = distance - 1;
    builder.send(round, to, block(to * block_count, Buffer::input), in_turn);
    builder.stay_within(static_cast<std::int32_t>(values[1]));
    builder.receive(round, from, block(from * block_count), in_turn);
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm alltoall_pairwise = {
    .id = "alltoall/pairwise",
    .summary = "in round k each rank sends to the one k ahead and receives from the one k behind",
    .source = "paper D, section 4.5",
    .cost = "(p - 1) n alpha + (p - 1) / p beta m",
    .collective = Collective::alltoall,
    .parameters = parameters,
    .share_between_nodes = share_sent_straight,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = segmented_part_blocks,
    .make = generate,
    .cost_s = segmented_parts_in_turn_time_s,
};

}  // namespace anabranch
