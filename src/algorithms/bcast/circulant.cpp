// Every rank sends and receives one block in every round, over links that are the same for all.
//
// When: long messages; in the one-port model no broadcast of n blocks takes fewer rounds than its
// q - 1 + n. Cost: (q - 1 + n)(alpha + beta m / n).
// How: in round i, with k = i mod q, rank r sends to r + skip[k] and receives from r - skip[k];
// which block is found in circulant_schedule.hpp. After q rounds the same slots come again with the
// blocks q further on, so that each slot is one repeat; the last phase is clipped to block n - 1.
// Source: Traff, arXiv 2312.11236 and 2407.18004.
#include <algorithm>

#include "algorithms/circulant_schedule.hpp"
#include "algorithms/segments.hpp"
#include "evidence/evidence.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Pipeline pipeline_of(std::int32_t ranks) {
  const std::int64_t q = ceil_log2(ranks);
  return {.fill_rounds = q - 1, .drift_rounds = q * tuned::drift_of_circulant.value};
}

std::int64_t default_segment(const Problem& problem) {
  return best_segment_bytes(problem, pipeline_of(problem.ranks));
}

constexpr Parameter parameters[] = {segment_parameter(default_segment)};

// Rounds are counted in phases of q; the first phase lacks its first `missing` rounds.
struct Phases {
  std::int32_t length;   // q
  std::int32_t missing;  // rounds
  std::int32_t last;     // phase

  Phases(std::int32_t q, std::int32_t block_count)
      : length(q),
        missing((q - (block_count - 1) % q) % q),
        last((missing + block_count - 1) / q) {}

  std::int32_t round(std::int32_t phase, std::int32_t slot) const {
    return phase * length + slot - missing;
  }
  std::int32_t block(std::int32_t phase, std::int32_t offset) const {
    return phase * length + offset - missing;
  }
  // The first phase in which the slot takes place and its block is there.
  std::int32_t first(std::int32_t slot, std::int32_t offset) const {
    return std::max(slot < missing ? 1 : 0, (missing - offset + length - 1) / length);
  }
  // In the last phase positive offsets lie behind the last block.
  Repeat repeat(std::int32_t first_phase, std::int32_t offset) const {
    return {.count = last - first_phase + (offset > 0 ? 0 : 1),
            .block_step = length,
            .round_step = length};
  }
};

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder(group.ranks, group.rank,
                  pipeline_rounds(group.ranks, pipeline_of(group.ranks), block_count), block_count);
  if (group.ranks == 1) return std::move(builder).finish();
  const Skips skips(group.ranks);
  const CirculantOffsets offsets(skips, group.rank);
  const Phases phases(skips.count(), block_count);
  const BlockSet last_block = block(block_count - 1);
  builder.reserve(static_cast<std::size_t>(3 * skips.count() + 1));

  // Offsets are above -2q, so that every slot has begun by phase 2.
  for (std::int32_t phase = 0; phase <= 2; ++phase) {
    for (std::int32_t k = 0; k < skips.count(); ++k) {
      const std::int32_t out = offsets.send[k];
      const std::int32_t in = offsets.receive[k];
      const std::int32_t to = skips.to(group.rank, k);
      if (to != 0 && phases.first(k, out) == phase) {
        builder.send(phases.round(phase, k), to, block(phases.block(phase, out)),
                     phases.repeat(phase, out));
      }
      if (group.rank != 0 && phases.first(k, in) == phase) {
        builder.receive(phases.round(phase, k), skips.from(group.rank, k),
                        block(phases.block(phase, in)), phases.repeat(phase, in));
      }
    }
  }
  for (std::int32_t k = 0; k < skips.count(); ++k) {
    const std::int32_t round = phases.round(phases.last, k);
    const std::int32_t to = skips.to(group.rank, k);
    if (to != 0 && offsets.send[k] > 0) builder.send(round, to, last_block);
    if (group.rank != 0 && offsets.receive[k] > 0) {
      builder.receive(round, skips.from(group.rank, k), last_block);
    }
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  return pipeline_time_s(problem, pipeline_of(problem.ranks), segmented_blocks(problem, values));
}

}  // namespace

extern const Algorithm bcast_circulant = {
    .id = "bcast/circulant",
    .summary = "round-optimal: every rank sends and receives one block in every round",
    .source = "Traff, arXiv 2312.11236 and 2407.18004",
    .cost = "(q - 1 + n)(alpha + beta m / n)",
    .collective = Collective::bcast,
    .parameters = parameters,
    .blocks = segmented_blocks,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
