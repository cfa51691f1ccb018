// What MPICH 1.2.4 selects, which paper D replaces: baselines.
//
// reduce: binomial tree. allreduce: that, and a broadcast. reduce_scatter: that, and a linear
// scatter. scan: linear. Source: paper D, sections 4.1 to 4.4.
#include "algorithms/descriptors.hpp"
#include "algorithms/policy.hpp"

namespace anabranch {
namespace {

const Algorithm& pick_reduce(const Problem&) { return reduce_binomial; }
const Algorithm& pick_allreduce(const Problem&) { return allreduce_reduce_bcast; }
const Algorithm& pick_reduce_scatter(const Problem&) { return reduce_scatter_reduce_scatterv; }
const Algorithm& pick_scan(const Problem&) { return scan_linear; }

}  // namespace

extern const Algorithm reduce_mpich1 =
    policy(Collective::reduce, "reduce/mpich1", "policy: binomial, as MPICH 1.2.4",
           "paper D, section 4.1", choose<pick_reduce>);

extern const Algorithm allreduce_mpich1 = policy(Collective::allreduce, "allreduce/mpich1",
                                                 "policy: reduce and broadcast, as MPICH 1.2.4",
                                                 "paper D, section 4.2", choose<pick_allreduce>);

extern const Algorithm reduce_scatter_mpich1 =
    policy(Collective::reduce_scatter, "reduce_scatter/mpich1",
           "policy: reduce and linear scatter, as MPICH 1.2.4", "paper D, section 4.4",
           choose<pick_reduce_scatter>);

extern const Algorithm scan_mpich1 =
    policy(Collective::scan, "scan/mpich1", "policy: linear, as MPICH 1.2.4", "paper D, section 4",
           choose<pick_scan>);

}  // namespace anabranch
