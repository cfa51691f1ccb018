// Tree of a radix k: on each level every rank that has the message sends it to k - 1 others.
//
// When: short messages on a network whose latency is above the overhead of a message: then a rank
// has several under way at once, and fewer levels are worth more than fewer messages of a rank.
// Cost in the one-port model: (c + (l - 1)(k - 1))(alpha + beta m) with l = ceil(log_k p) levels,
// on the first of which the root has c children. Radix 2 is bcast/binomial. Source: the field's;
// MPICH and Open MPI have it; Chunduri et al., CLUSTER 2023 (radix by size).
#include "algorithms/knomial_tree.hpp"
#include "algorithms/message_along_tree.hpp"
#include "algorithms/segments.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {radix_parameter};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  return message_down(KnomialTree(group.ranks, values[0]), group, block_count);
}

double cost_s(const Problem& problem, Values values) {
  const KnomialTree tree(problem.ranks, values[0]);
  const Turns turns{static_cast<double>(tree.rounds()), static_cast<double>(tree.levels()), false};
  return turns_time_s(problem.network, turns, static_cast<double>(problem.size_bytes));
}

}  // namespace

extern const Algorithm bcast_knomial = {
    .id = "bcast/knomial",
    .summary = "tree of a radix: those who have the message multiply on each level",
    .source = "the field's; Chunduri et al., CLUSTER 2023",
    .cost =
        "(c + (l - 1)(k - 1))(alpha + beta m), l = ceil(log_k p) levels, c children on the first",
    .collective = Collective::bcast,
    .parameters = parameters,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
