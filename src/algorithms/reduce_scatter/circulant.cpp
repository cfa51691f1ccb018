// As few rounds and as few bytes as possible, for any number of ranks.
//
// When: where the MPI_Op commutes, at any size: no other algorithm is better in either term.
// Cost: q alpha + (p - 1) / p beta m. Operands are combined out of order.
// How: slot i of a rank is the part of the rank i further on. In each round, with skips s[k] that
// halve, slots s[k] .. s[k+1] - 1 go to the rank s[k] further on, whose first slots they are.
// Source: Traff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, 2025.
#include <algorithm>
#include <array>

#include "algorithms/circulant_schedule.hpp"
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

class Slots {
 public:
  Slots(std::int32_t ranks, std::int32_t rank, std::int32_t block_count)
      : ranks_(ranks), rank_(rank), block_count_(block_count) {}

  // Slots begin .. end - 1: up to two ranges, and the own part apart from them.
  std::array<BlockSet, 3> range(std::int64_t begin, std::int64_t end, Buffer buffer) const {
    const bool with_own = begin == 0;
    const std::int64_t low = rank_ + begin + (with_own ? 1 : 0);
    const std::int64_t high = rank_ + end;
    const std::int64_t ranks = ranks_;
    return {blocks(0, with_own ? block_count_ : 0),
            parts(std::min(low, ranks), std::min(high, ranks), buffer),
            parts(std::max(low, ranks) - ranks, std::max(high, ranks) - ranks, buffer)};
  }

 private:
  BlockSet parts(std::int64_t begin, std::int64_t end, Buffer buffer) const {
    return blocks(static_cast<std::int32_t>(begin) * block_count_,
                  static_cast<std::int32_t>(end - begin) * block_count_, buffer);
  }

  std::int32_t ranks_;
  std::int32_t rank_;
  std::int32_t block_count_;
};

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const Skips skips(group.ranks);
  const Slots slots(group.ranks, group.rank, block_count);
  const std::int32_t q = skips.count();
  Builder builder(group.ranks, group.rank, std::max(q, 1), block_count);
  builder.input(group.ranks * block_count).scratch(group.ranks > 2 ? group.ranks * block_count : 0);
  builder.reserve(static_cast<std::size_t>(2 * q + 3));
  builder.copy(0, blocks(0, block_count),
               blocks(group.rank * block_count, block_count, Buffer::input));
  // What goes in the first round is not combined with anything here.
  const std::int64_t combined = q > 0 ? skips[q - 1] : 1;
  const auto held = slots.range(1, combined, Buffer::scratch);
  const auto handed_in = slots.range(1, combined, Buffer::input);
  for (std::size_t i = 0; i < held.size(); ++i) builder.copy(0, held[i], handed_in[i]);
  for (std::int32_t k = q - 1; k >= 0; --k) {
    const std::int32_t round = q - 1 - k;
    builder.send(round, skips.to(group.rank, k),
                 slots.range(skips[k], skips[k + 1], round == 0 ? Buffer::input : Buffer::scratch));
    builder.reduce(round, skips.from(group.rank, k),
                   slots.range(0, skips[k + 1] - skips[k], Buffer::scratch),
                   OperandOrder::theirs_first);
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  return parts_time_s(problem, ceil_log2(problem.ranks), problem.ranks - 1);
}

}  // namespace

extern const Algorithm reduce_scatter_circulant = {
    .id = "reduce_scatter/circulant",
    .summary = "as few rounds and bytes as possible, over skips that halve",
    .source = "Traff, Optimal, non-pipelined reduce-scatter and allreduce algorithms (2025)",
    .cost = "q alpha + (p - 1) / p beta m",
    .collective = Collective::reduce_scatter,
    .commutative_only = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
