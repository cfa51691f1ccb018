#include "algorithms/parts.hpp"

#include "evidence/evidence.hpp"

namespace anabranch {
namespace {

std::int64_t block_bytes_of(const Problem& problem, std::int32_t per_part) {
  return (problem.part_bytes() + per_part - 1) / per_part;
}

// The parts of all other ranks, each in so many messages, which wait for nothing.
double parts_in_turn_time_s(const Problem& problem, std::int32_t per_part, bool is_exchange) {
  Network overlapped = problem.network;
  overlapped.handshake_s = 0;
  const double messages = static_cast<double>(per_part) * (problem.ranks - 1);
  return turns_time_s(overlapped, {messages, 1, is_exchange},
                      static_cast<double>(block_bytes_of(problem, per_part)));
}

}  // namespace

Builder allgather_builder(std::int32_t ranks, std::int32_t rank, std::int32_t rounds,
                          std::int32_t block_count) {
  Builder builder(ranks, rank, std::max(rounds, 1), ranks * block_count);
  builder.input(block_count);
  builder.copy(0, blocks(rank * block_count, block_count), blocks(0, block_count, Buffer::input));
  return builder;
}

Builder alltoall_builder(std::int32_t ranks, std::int32_t rank, std::int32_t rounds,
                         std::int32_t block_count) {
  const BlockSet own = blocks(rank * block_count, block_count);
  Builder builder(ranks, rank, std::max(rounds, 1), ranks * block_count);
  builder.input(ranks * block_count);
  builder.copy(0, own, blocks(own.first, own.count, Buffer::input));
  return builder;
}

double parts_time_s(const Problem& problem, double rounds, double parts) {
  const double bytes = parts * static_cast<double>(problem.part_bytes());
  const double start_s = rounds > 0 ? problem.network.start_s(bytes / rounds) : 0;
  return rounds * start_s + bytes * problem.network.time_per_byte_s;
}

bool hides_latencies(const Network& network, std::int64_t segment_bytes) {
  const auto latencies = static_cast<double>(tuned::latencies_of_a_part_segment.value);
  const double wire_s = static_cast<double>(segment_bytes) * network.time_per_byte_s;
  return network.latency_s * latencies <= wire_s;
}

std::int64_t best_part_segment_bytes(const Problem& problem) {
  const std::int64_t part_bytes = std::max<std::int64_t>(problem.part_bytes(), 1);
  const std::int64_t eager_bytes = whole_frames(problem.network.eager_limit_bytes);
  const bool is_cheap = hides_latencies(problem.network, eager_bytes);
  return std::min({part_bytes, is_cheap ? eager_bytes : part_bytes, longest_segment_bytes});
}

std::int32_t segmented_part_blocks(const Problem& problem, Values values) {
  const std::int32_t most = std::max(maximum_blocks / problem.ranks, 1);
  return std::min(segment_count(problem.part_bytes(), values[0]), most);
}

std::int32_t segmented_blocks_of_parts(const Problem& problem, Values values) {
  return problem.ranks * segmented_part_blocks(problem, values);
}

std::optional<std::int64_t> segment_for(const Algorithm& algorithm, const Problem& problem,
                                        std::int32_t block_count) {
  const auto in_blocks = [](std::int64_t bytes, std::int64_t count) {
    return std::max<std::int64_t>((bytes + count - 1) / count, 1);
  };
  if (algorithm.blocks == segmented_blocks) return in_blocks(problem.size_bytes, block_count);
  if (algorithm.blocks == segmented_part_blocks) {
    return in_blocks(problem.part_bytes(), block_count);
  }
  if (algorithm.blocks == segmented_blocks_of_parts) {
    const std::int32_t of_part = (block_count + problem.ranks - 1) / problem.ranks;
    return in_blocks(problem.part_bytes(), of_part);
  }
  return std::nullopt;
}

double part_per_rank_time_s(const Problem& problem, Values) {
  Problem overlapped = problem;
  overlapped.network.handshake_s = 0;
  return parts_time_s(overlapped, problem.ranks - 1, problem.ranks - 1);
}

double segmented_parts_time_s(const Problem& problem, Values values) {
  const std::int32_t per_part = segmented_part_blocks(problem, values);
  return static_cast<double>(per_part) * (problem.ranks - 1) *
         (problem.network.start_s(0) +
          static_cast<double>(block_bytes_of(problem, per_part)) * problem.network.time_per_byte_s);
}

double segmented_parts_in_turn_time_s(const Problem& problem, Values values) {
  return parts_in_turn_time_s(problem, segmented_part_blocks(problem, values), true);
}

double exchanged_parts_time_s(const Problem& problem, Values) {
  return parts_in_turn_time_s(problem, 1, true);
}

double parts_of_one_time_s(const Problem& problem, Values) {
  return parts_in_turn_time_s(problem, 1, false);
}

double parts_in_rounds_time_s(const Problem& problem, Values) {
  return parts_time_s(problem, ceil_log2(problem.ranks), problem.ranks - 1);
}

double share_sent_straight(const Problem& problem) {
  const std::int32_t of_node = std::max(problem.nodes.largest, 1);
  return static_cast<double>(problem.ranks - of_node) / std::max(problem.ranks - 1, 1);
}

}  // namespace anabranch
