#include "algorithms/segments.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/situation.hpp"

namespace anabranch {
namespace {

// What a frame of 1,500 bytes carries beside the headers of TCP and the MPI. Part of a frame costs
// as much as a whole one, and a segment in two frames is passed on only when both are there.
constexpr std::int64_t frame_bytes = 1400;

// Longer ones gain nothing on any network, and take memory.
constexpr std::int64_t longest_default_segment_bytes = std::int64_t{1} << 20;

struct Cut {
  std::int64_t segment_bytes;
  double time_s;
};

// Of messages that wait for each other until the first block is with the last rank.
double latencies_of(Pipeline pipeline) {
  const std::int64_t first = pipeline.rounds(1);
  const bool in_all = pipeline.latency_rounds == 0;
  return static_cast<double>(in_all ? first : std::min(first, pipeline.latency_rounds));
}

// Where each message takes start_s beside its bytes.
double time_s(const Problem& problem, Pipeline pipeline, double start_s, std::int32_t blocks) {
  const double gap_s = problem.network.gap_s;
  const double block_s =
      problem.network.time_per_byte_s * static_cast<double>(problem.size_bytes) / blocks;
  const auto rounds = static_cast<double>(pipeline.rounds(blocks));
  const auto drift = static_cast<double>(pipeline.drift_rounds);
  if (gap_s == 0) return rounds * (start_s + block_s);
  const double latencies = latencies_of(pipeline);
  return latencies * (start_s + block_s) + (rounds - latencies + drift) * std::max(gap_s, block_s);
}

// The bytes of the fastest segments; without anything to fill they can be as long as they like.
double fastest_segment(const Problem& problem, Pipeline pipeline, double start_s) {
  const auto size = static_cast<double>(problem.size_bytes);
  const double byte_s = problem.network.time_per_byte_s;
  const double gap_s = problem.network.gap_s;
  const auto fill = static_cast<double>(pipeline.fill_rounds);
  const auto per_block = static_cast<double>(pipeline.rounds_per_block);
  if (fill <= 0 || byte_s == 0) return size;
  // (f + k n)(alpha + beta m / n) is least at n = sqrt(f beta m / (k alpha)).
  if (gap_s == 0) return std::sqrt(size * per_block * start_s / (fill * byte_s));
  // Shorter ones than a gap gain only as long as there are few of them.
  const double short_ones = std::sqrt(size * per_block * gap_s / (latencies_of(pipeline) * byte_s));
  return std::min(gap_s / byte_s, short_ones);
}

// The fastest segments of at most so many bytes, in whole frames.
Cut fastest_cut(const Problem& problem, Pipeline pipeline, double start_s,
                std::int64_t longest_bytes) {
  const double segment = std::min(fastest_segment(problem, pipeline, start_s),
                                  static_cast<double>(problem.size_bytes));
  const auto cut = [&](double frames) -> Cut {
    const std::int64_t segment_bytes = std::min(
        std::max<std::int64_t>(std::llround(frames), 1) * frame_bytes, whole_frames(longest_bytes));
    const std::int32_t blocks = segment_count(problem.size_bytes, segment_bytes);
    return {segment_bytes, time_s(problem, pipeline, start_s, blocks)};
  };
  const double frames = segment / frame_bytes;
  if (problem.network.gap_s == 0) return cut(frames);
  // The nearest may be far from the fastest: what is shorter than a gap takes one.
  const Cut shorter = cut(std::floor(frames));
  const Cut longer = cut(std::ceil(frames));
  return shorter.time_s < longer.time_s ? shorter : longer;
}

// Where longer ones were measured to be slow, or nobody knows the network.
bool stays_within_eager_limit(const Problem& problem) {
  return tuned::segments_within_eager_limit.where.hold(situation_of(Collective::bcast, problem)) !=
         Holds::no;
}

std::int64_t block_bytes(const Problem& problem, std::int32_t blocks) {
  return (problem.size_bytes + blocks - 1) / blocks;
}

}  // namespace

std::int32_t pipeline_rounds(std::int32_t ranks, Pipeline pipeline, std::int32_t blocks) {
  return ranks == 1 ? 0 : static_cast<std::int32_t>(pipeline.rounds(blocks));
}

std::int32_t segment_count(std::int64_t size_bytes, std::int64_t segment_bytes) {
  const std::int64_t whole = size_bytes / segment_bytes + (size_bytes % segment_bytes != 0);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(whole, 1, maximum_blocks));
}

std::int64_t best_segment_bytes(const Problem& asked, Pipeline pipeline) {
  const Problem problem = with_handshakes(asked);
  const Network& network = problem.network;
  const double start_s = network.start_s(0);
  const Cut eager = fastest_cut(problem, pipeline, start_s, network.eager_limit_bytes);
  if (problem.longest_segment_bytes <= network.eager_limit_bytes) return eager.segment_bytes;
  const Cut longer =
      fastest_cut(problem, pipeline, start_s + network.handshake_s, problem.longest_segment_bytes);
  return longer.time_s < eager.time_s ? longer.segment_bytes : eager.segment_bytes;
}

Problem with_handshakes(Problem problem) {
  if (problem.longest_segment_bytes > 0) return problem;
  Network& network = problem.network;
  const bool stays_eager = stays_within_eager_limit(problem);
  problem.longest_segment_bytes =
      stays_eager ? network.eager_limit_bytes : longest_default_segment_bytes;
  if (network.handshake_s == 0 && !stays_eager) network.handshake_s = 2 * network.latency_s;
  return problem;
}

std::int64_t whole_frames(std::int64_t size_bytes) {
  return std::max<std::int64_t>(size_bytes / frame_bytes, 1) * frame_bytes;
}

double pipeline_time_s(const Problem& problem, Pipeline pipeline, std::int32_t blocks) {
  if (problem.ranks == 1) return 0;
  const std::int64_t bytes = block_bytes(problem, blocks);
  Problem of_equal_blocks = problem;
  of_equal_blocks.size_bytes = bytes * blocks;
  const double start_s = problem.network.start_s(static_cast<double>(bytes));
  return time_s(of_equal_blocks, pipeline, start_s, blocks);
}

double rounds_time_s(const Problem& problem, double rounds, std::int32_t blocks) {
  const auto bytes = static_cast<double>(block_bytes(problem, blocks));
  return rounds * (problem.network.start_s(bytes) + bytes * problem.network.time_per_byte_s);
}

double turns_time_s(const Network& network, Turns turns, double message_bytes) {
  const double waits = std::min(turns.waits, turns.messages);
  // What is received meanwhile is taken in while the rank waits, unless it is never idle.
  const double waiting_s = waits * network.message_s(message_bytes) +
                           (turns.messages - waits) * network.turn_s(message_bytes, false);
  if (!turns.is_exchange || network.gap_s == 0) return waiting_s;
  return std::max(waiting_s, turns.messages * network.turn_s(message_bytes, true));
}

}  // namespace anabranch
