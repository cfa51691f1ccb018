// What algorithms on parts, one per rank, have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "algorithms/logarithm.hpp"
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

// Builders for schedules of at least one round, in which the rank's own part is copied.
Builder allgather_builder(std::int32_t ranks, std::int32_t rank, std::int32_t rounds,
                          std::int32_t block_count);
Builder alltoall_builder(std::int32_t ranks, std::int32_t rank, std::int32_t rounds,
                         std::int32_t block_count);

constexpr std::int64_t longest_segment_bytes = std::int64_t{1} << 40;

// Whether segments are so long that their latencies hardly show.
bool hides_latencies(const Network& network, std::int64_t segment_bytes);

// Parts as blocks that are messages of their own, so that others can go on with the first ones, and
// none is longer than the eager limit: the parameters, the default, and Algorithm::blocks for it.
std::int64_t best_part_segment_bytes(const Problem& problem);
constexpr Parameter part_segment(std::int64_t (*default_value)(const Problem&)) {
  return {.name = "segment",
          .summary = "bytes of a message; each rank's part is cut into ceil(part / segment) blocks",
          .minimum = 1,
          .maximum = longest_segment_bytes,
          .default_value = default_value};
}
inline constexpr Parameter part_segments[] = {part_segment(best_part_segment_bytes)};
std::int32_t segmented_part_blocks(const Problem& problem, Values values);
// Of the message, where each rank takes care of one part of it.
std::int32_t segmented_blocks_of_parts(const Problem& problem, Values values);
// The value of the algorithm's first parameter with which it cuts the problem's message into so
// many blocks. Nothing where that is no segment.
std::optional<std::int64_t> segment_for(const Algorithm& algorithm, const Problem& problem,
                                        std::int32_t block_count);
// All blocks of a part, one after the other.
constexpr Repeat one_by_one(std::int32_t block_count) { return {.count = block_count}; }

// Time of `rounds` messages one after the other that carry `parts` parts in all, s. Where parts go
// straight to their ranks (all of the next but the last), handshakes take place while other
// messages travel.
double parts_time_s(const Problem& problem, double rounds, double parts);

// Algorithm::cost_s where a port carries the parts of all other ranks one by one,
double part_per_rank_time_s(const Problem& problem, Values values);
// the same in segments, which are the first parameter,
double segmented_parts_time_s(const Problem& problem, Values values);
// the same where no part waits for another: the messages of a rank follow in turn,
double segmented_parts_in_turn_time_s(const Problem& problem, Values values);
// all parts in one message each,
double exchanged_parts_time_s(const Problem& problem, Values values);
// of which one rank sends all, or receives them,
double parts_of_one_time_s(const Problem& problem, Values values);
// or in q messages.
double parts_in_rounds_time_s(const Problem& problem, Values values);

// Algorithm::share_between_nodes where each rank sends as much to each other one.
double share_sent_straight(const Problem& problem);

// What a message carries beside each block whose size it tells.
constexpr double size_field_bytes = 8;

// For algorithms that also serve ranks that know the sizes of their own parts only.
constexpr Parameter sizes_parameter = {
    .name = "sizes",
    .summary = "1: parts carry their sizes, which not all ranks know; 0: they are known",
    .minimum = 0,
    .maximum = 1,
    .default_value = [](const Problem& problem) -> std::int64_t {
      return problem.sizes == SizeKnowledge::everywhere ? 0 : 1;
    },
};

}  // namespace anabranch
