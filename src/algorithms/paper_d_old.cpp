// What paper D calls the old algorithms, those of MPICH 1.2.4: baselines.
//
// The same one for all sizes. Source: paper D, section 4.
#include "algorithms/descriptors.hpp"
#include "algorithms/policy.hpp"

namespace anabranch {
namespace {

template <const Algorithm& algorithm>
const Algorithm& always(const Problem&) {
  return algorithm;
}

}  // namespace

extern const Algorithm bcast_paper_d_old =
    policy(Collective::bcast, "bcast/paper_d_old", "policy: binomial", "paper D, section 4.3",
           choose<always<bcast_binomial>>);
extern const Algorithm scatter_paper_d_old =
    policy(Collective::scatter, "scatter/paper_d_old", "policy: linear", "paper D, section 4.1",
           choose<always<scatter_linear>>);
extern const Algorithm gather_paper_d_old =
    policy(Collective::gather, "gather/paper_d_old", "policy: linear", "paper D, section 4.1",
           choose<always<gather_linear>>);
extern const Algorithm allgather_paper_d_old =
    policy(Collective::allgather, "allgather/paper_d_old", "policy: ring", "paper D, section 4.2",
           choose<always<allgather_ring>>);
extern const Algorithm alltoall_paper_d_old =
    policy(Collective::alltoall, "alltoall/paper_d_old", "policy: all at once",
           "paper D, section 4.5", choose<always<alltoall_all_at_once>>);
extern const Algorithm reduce_paper_d_old =
    policy(Collective::reduce, "reduce/paper_d_old", "policy: binomial", "paper D, section 4.1",
           choose<always<reduce_binomial>>);
extern const Algorithm allreduce_paper_d_old =
    policy(Collective::allreduce, "allreduce/paper_d_old", "policy: reduce and broadcast",
           "paper D, section 4.2", choose<always<allreduce_reduce_bcast>>);
extern const Algorithm reduce_scatter_paper_d_old = policy(
    Collective::reduce_scatter, "reduce_scatter/paper_d_old", "policy: reduce and linear scatter",
    "paper D, section 4.4", choose<always<reduce_scatter_reduce_scatterv>>);
extern const Algorithm scan_paper_d_old =
    policy(Collective::scan, "scan/paper_d_old", "policy: linear", "paper D, section 4",
           choose<always<scan_linear>>);

}  // namespace anabranch
