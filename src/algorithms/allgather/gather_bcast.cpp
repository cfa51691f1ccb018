// A gather to rank 0, then a broadcast of everything: both along a binomial tree.
//
// When: a baseline. Cost: 2 q alpha + ((p - 1) / p + q) beta m.
// Source: paper D, section 4.2.
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {

extern const Algorithm allgather_gather_bcast = {
    .id = "allgather/gather_bcast",
    .summary = "a gather to rank 0, then a broadcast, both along a binomial tree",
    .source = "paper D, section 4.2",
    .cost = "2 q alpha + ((p - 1) / p + q) beta m",
    .collective = Collective::allgather,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = one_block,
    .make = GatherBcast<gather_binomial, bcast_binomial>::generate,
    .cost_s = GatherBcast<gather_binomial, bcast_binomial>::cost_s,
};

}  // namespace anabranch
