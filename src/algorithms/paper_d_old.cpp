// What paper D calls the old algorithms, those of MPICH 1.2.4: baselines.
//
// The same one for all sizes. scatter, gather: linear (4.1). allgather: ring (4.2). bcast: binomial
// tree (4.3). reduce_scatter: reduce along a binomial tree, then a linear scatter (4.4); that
// reduce is also the old one, and with the old broadcast the old allreduce, of which 4.1 and 4.2
// say no more than that they are similar to scatter and allgather. alltoall: all messages at once,
// by everybody in the order of ranks (4.5). scan: the paper leaves it out for lack of space; MPICH
// 1.2.4 passed it from rank to rank. Source: paper D, section 4.
#include "algorithms/descriptors.hpp"
#include "algorithms/policy.hpp"

namespace anabranch {
namespace {

Choice choose_alltoall(const Problem&) {
  constexpr std::int64_t all_with_rank_0 = 0;
  return {&alltoall_all_at_once, {all_with_rank_0}};
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
extern const Algorithm alltoall_paper_d_old = policy(
    Collective::alltoall, "alltoall/paper_d_old", "policy: all at once, everybody from rank 0 on",
    "paper D, section 4.5", choose_alltoall);
extern const Algorithm reduce_paper_d_old =
    policy(Collective::reduce, "reduce/paper_d_old", "policy: binomial", "paper D, section 4.4",
           choose<always<reduce_binomial>>);
extern const Algorithm allreduce_paper_d_old =
    policy(Collective::allreduce, "allreduce/paper_d_old", "policy: reduce and broadcast",
           "paper D, sections 4.3 and 4.4", choose<always<allreduce_reduce_bcast>>);
extern const Algorithm reduce_scatter_paper_d_old = policy(
    Collective::reduce_scatter, "reduce_scatter/paper_d_old", "policy: reduce and linear scatter",
    "paper D, section 4.4", choose<always<reduce_scatter_reduce_scatterv>>);
extern const Algorithm scan_paper_d_old =
    policy(Collective::scan, "scan/paper_d_old", "policy: linear", "MPICH 1.2.4",
           choose<always<scan_linear>>);

}  // namespace anabranch
