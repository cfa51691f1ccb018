// Like Bruck's, over the links of the circulant broadcast: distances are halves of p, rounded up.
//
// When: any message; the rounds carry more equal amounts than Bruck's. Cost: q alpha + (p - 1) / p
// beta m. How: in round k rank r receives from r + skip[k] as many parts as make skip[k + 1].
// Source: Traff, arXiv 2312.11236 and 2407.18004.
#include "algorithms/circulant_schedule.hpp"
#include "algorithms/doubling.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  Builder builder = allgather_builder(group.ranks, group.rank, ceil_log2(group.ranks), block_count);
  const Skips skips(group.ranks);
  std::vector<std::int64_t> held;
  for (std::int32_t k = 0; k <= skips.count(); ++k) held.push_back(skips[k]);
  add_exchanges(builder, Chunks(group.ranks, group.ranks * block_count), 0, group.rank,
                circulant_doubling(held, group.rank), own_chunk);
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm allgather_circulant = {
    .id = "allgather/circulant",
    .summary = "each round brings as many parts as a rank has, from ranks at halves of p ahead",
    .source = "Traff, arXiv 2312.11236 and 2407.18004",
    .cost = "q alpha + (p - 1) / p beta m",
    .collective = Collective::allgather,
    .blocks = one_block,
    .make = generate,
    .cost_s = parts_in_rounds_time_s,
};

}  // namespace anabranch
