// Binomial tree: in each round half of those who hold a partial result pass it on.
//
// When: short messages, where the number of rounds is what counts. Cost: q (alpha + beta m).
// How: the broadcast backwards, distances doubling, so that every rank combines what comes from the
// ranks right behind its own: operands keep their order.
// Source: paper D, section 4.1 ("MST").
#include <array>

#include "algorithms/backwards.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {
namespace {

constexpr std::array<std::int64_t, 1> halving = {1};

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  return backwards(make_schedule(bcast_binomial, group, block_count, halving));
}

double cost_s(const Problem& problem, Values) { return bcast_binomial.cost_s(problem, halving); }

}  // namespace

extern const Algorithm reduce_binomial = {
    .id = "reduce/binomial",
    .summary = "binomial tree: those who hold a partial result halve each round",
    .source = "paper D, section 4.1",
    .cost = "q (alpha + beta m)",
    .collective = Collective::reduce,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
