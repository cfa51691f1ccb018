// The binomial scatter backwards: each rank collects the parts of those below it, then sends them.
//
// When: short parts; long ones too, as the root's port carries nothing twice. Inner ranks hold
// parts of others: at most p / 2. Cost: q alpha + (p - 1) / p beta m.
// Where ranks know their own part's size only, messages to inner ranks carry the sizes along: the
// question that paper D leaves open in section 4.1.2. Source: paper D, section 4.1.
#include "algorithms/parts.hpp"
#include "algorithms/parts_along_tree.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {sizes_parameter};

PartsAlongTree how(Values values) { return {.radix = 2, .carries_sizes = values[0] == 1}; }

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  return gather_along_tree(group, block_count, how(values));
}

double cost_s(const Problem& problem, Values values) {
  return gather_along_tree_s(problem, how(values));
}

}  // namespace

extern const Algorithm gather_binomial = {
    .id = "gather/binomial",
    .summary = "binomial tree: each rank collects parts from below, then passes them on together",
    .source = "paper D, section 4.1",
    .cost = "q alpha + (p - 1) / p beta m",
    .collective = Collective::gather,
    .parameters = parameters,
    .uses_ports_in_turn = true,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
