// In round k each rank exchanges with the one whose number differs by exclusive or with k.
//
// When: long messages on a power of two of ranks, where pairs that exchange are good for the
// network (hypercubes, fat trees). With another p some ranks pause, and the rounds are those of the
// next power of two. Cost: (2^q - 1)(alpha + beta m / p). Source: paper D, section 4.5.
#include "algorithms/logarithm.hpp"
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

std::int64_t rounds_of(std::int32_t ranks) { return (std::int64_t{1} << ceil_log2(ranks)) - 1; }

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const auto rounds = static_cast<std::int32_t>(rounds_of(group.ranks));
  Builder builder = alltoall_builder(group.ranks, group.rank, rounds, block_count);
  builder.reserve(2 * static_cast<std::size_t>(group.ranks));
  for (std::int32_t round = 0; round < rounds; ++round) {
    const std::int32_t peer = group.rank ^ (round + 1);
    if (peer >= group.ranks) continue;
    builder.send(round, peer, blocks(peer * block_count, block_count, Buffer::input));
    builder.receive(round, peer, blocks(peer * block_count, block_count));
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  const auto rounds = static_cast<double>(rounds_of(problem.ranks));
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  return turns_time_s(problem.network, {rounds, 1}, part_bytes);
}

}  // namespace

extern const Algorithm alltoall_pairwise_xor = {
    .id = "alltoall/pairwise_xor",
    .summary = "in round k each rank exchanges with the one at exclusive or k",
    .source = "paper D, section 4.5",
    .cost = "(2^q - 1)(alpha + beta m / p)",
    .collective = Collective::alltoall,
    .share_between_nodes = share_sent_straight,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
