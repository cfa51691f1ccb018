// Recursive halving, the first rank gathers the chunks of the result, and broadcasts it.
//
// When: a baseline: reduce_scatter_allgather has no broadcast to wait for. Open MPI does so between
// the leaders of nodes (coll/han). Cost: 3 q alpha + (q + 2 (p - 1) / p) beta m for p = 2^q.
// Operands keep their order. Source: Open MPI, coll/han and coll/libnbc.
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"

namespace anabranch {
namespace {

using Composition = ReduceBcast<reduce_reduce_scatter_gather, bcast_binomial>;

}  // namespace

extern const Algorithm allreduce_reduce_scatter_gather_bcast = {
    .id = "allreduce/reduce_scatter_gather_bcast",
    .summary = "recursive halving, the first rank gathers the chunks and broadcasts the result",
    .source = "Open MPI, coll/han and coll/libnbc",
    .cost = "that of reduce/reduce_scatter_gather and of bcast/binomial",
    .collective = Collective::allreduce,
    .uses_ports_in_turn_in_blocks = true,
    .for_comparison = true,
    .blocks = block_per_rank,
    .make = Composition::generate,
    .cost_s = Composition::cost_s,
    // Unless p is a power of two, messages of several sizes get in each other's way.
    .cost_slack = 1.06,
};

}  // namespace anabranch
