#include "algorithms/parts.hpp"

namespace anabranch {

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
  return rounds * problem.network.latency_s +
         parts * static_cast<double>(problem.part_bytes()) * problem.network.time_per_byte_s;
}

double part_per_rank_time_s(const Problem& problem, Values) {
  return parts_time_s(problem, problem.ranks - 1, problem.ranks - 1);
}

double parts_in_rounds_time_s(const Problem& problem, Values) {
  return parts_time_s(problem, ceil_log2(problem.ranks), problem.ranks - 1);
}

}  // namespace anabranch
