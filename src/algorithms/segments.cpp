#include "algorithms/segments.hpp"

#include <algorithm>
#include <cmath>

namespace anabranch {
namespace {

// What a frame of 1,500 bytes carries beside the headers of TCP and the MPI. Part of a frame costs
// as much as a whole one, and a segment in two frames is passed on only when both are there.
constexpr std::int64_t frame_bytes = 1400;

}  // namespace

std::int32_t segment_count(std::int64_t size_bytes, std::int64_t segment_bytes) {
  const std::int64_t whole = size_bytes / segment_bytes + (size_bytes % segment_bytes != 0);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(whole, 1, maximum_blocks));
}

std::int64_t best_segment_bytes(const Problem& problem, Pipeline pipeline) {
  const auto size = static_cast<double>(problem.size_bytes);
  const Network& network = problem.network;
  // (f + k n)(alpha + beta m / n) is least at n = sqrt(f beta m / (k alpha)), that is for segments
  // of sqrt(k m alpha / (f beta)); without anything to fill they can be as long as they like.
  const double fill = static_cast<double>(pipeline.fill_rounds) * network.time_per_byte_s;
  double segment = size;
  if (fill > 0) {
    const double steady = static_cast<double>(pipeline.rounds_per_block) * network.latency_s;
    segment = std::min(size, std::sqrt(size * steady / fill));
  }
  const std::int64_t frames = std::max<std::int64_t>(std::llround(segment / frame_bytes), 1);
  return std::min(frames * frame_bytes, whole_frames(network.eager_limit_bytes));
}

std::int64_t whole_frames(std::int64_t size_bytes) {
  return std::max<std::int64_t>(size_bytes / frame_bytes, 1) * frame_bytes;
}

double rounds_time_s(const Problem& problem, double rounds, std::int32_t blocks) {
  const std::int64_t block_bytes = (problem.size_bytes + blocks - 1) / blocks;
  return rounds * (problem.network.latency_s +
                   static_cast<double>(block_bytes) * problem.network.time_per_byte_s);
}

}  // namespace anabranch
