// A gather to rank 0, then a broadcast of everything: both along a binomial tree.
//
// When: a baseline. Cost: 2 q alpha + ((p - 1) / p + q) beta m.
// Source: paper D, section 4.2.
#include "algorithms/descriptors.hpp"
#include "algorithms/parts.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

Schedule generate(std::int32_t ranks, std::int32_t rank, std::int32_t block_count, Values) {
  const Choice gather = with_defaults(gather_binomial, {});
  const Choice bcast = with_defaults(bcast_binomial, {});
  const Schedule first = gather.algorithm->generate(ranks, rank, block_count, gather.values);
  const Schedule second = bcast.algorithm->generate(ranks, rank, ranks * block_count, bcast.values);
  Builder builder(ranks, rank, first.rounds + second.rounds, 0);
  builder.append(first, 0);
  builder.append(second, first.rounds);
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  return gather_binomial.cost_s(problem, with_defaults(gather_binomial, problem).values) +
         parts_time_s(problem, ceil_log2(problem.ranks),
                      ceil_log2(problem.ranks) * static_cast<double>(problem.ranks));
}

}  // namespace

extern const Algorithm allgather_gather_bcast = {
    .id = "allgather/gather_bcast",
    .summary = "a gather to rank 0, then a broadcast, both along a binomial tree",
    .source = "paper D, section 4.2",
    .cost = "2 q alpha + ((p - 1) / p + q) beta m",
    .collective = Collective::allgather,
    .blocks = one_block,
    .generate = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
