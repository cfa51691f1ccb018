// Tree of a radix k: on each level a rank takes the parts of k - 1 subtrees, then sends all on.
//
// When: short parts on a network whose latency is above the overhead of a message. Inner ranks hold
// parts of others: at most p / k. Cost: that of scatter/knomial, of which this is the way back.
// Where ranks know their own part's size only, messages to inner ranks carry the sizes along. Radix
// 2 is gather/binomial. Source: the field's; Chunduri et al., CLUSTER 2023 (radix by size).
#include "algorithms/knomial_tree.hpp"
#include "algorithms/parts.hpp"
#include "algorithms/parts_along_tree.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {radix_parameter, sizes_parameter};

PartsAlongTree how(Values values) { return {.radix = values[0], .carries_sizes = values[1] == 1}; }

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  return gather_along_tree(group, block_count, how(values));
}

double cost_s(const Problem& problem, Values values) {
  return gather_along_tree_s(problem, how(values));
}

}  // namespace

extern const Algorithm gather_knomial = {
    .id = "gather/knomial",
    .summary = "tree of a radix: each rank collects parts from below, then passes them on together",
    .source = "the field's; Chunduri et al., CLUSTER 2023",
    .cost = "(c + (l - 1)(k - 1)) alpha + (p - 1) / p beta m, as in bcast/knomial",
    .collective = Collective::gather,
    .parameters = parameters,
    .uses_ports_in_turn = true,
    .knowledge = SizeKnowledge::own_buffers,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
