// Tree of a radix k: on each level every rank that goes on combines what k - 1 others have.
//
// When: short messages on a network whose latency is above the overhead of a message. Cost: that of
// bcast/knomial. How: the broadcast backwards; the nearest child is combined first, so that
// operands keep their order. Radix 2 is reduce/binomial. Source: the field's; Chunduri et al.,
// CLUSTER 2023 (radix by size).
#include "algorithms/backwards.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/knomial_tree.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {radix_parameter};

}  // namespace

extern const Algorithm reduce_knomial = {
    .id = "reduce/knomial",
    .summary = "tree of a radix: those who hold a partial result become fewer on each level",
    .source = "the field's; Chunduri et al., CLUSTER 2023",
    .cost = "that of bcast/knomial",
    .collective = Collective::reduce,
    .parameters = parameters,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = one_block,
    .make = Backwards<bcast_knomial>::generate,
    .cost_s = Backwards<bcast_knomial>::cost_s,
};

}  // namespace anabranch
