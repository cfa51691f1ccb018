// What paper D selects: baselines.
//
// bcast: binomial tree below 12 KB or below 8 ranks, else scatter and recursive doubling (4.3) with
// the correction of 4.2 unless p is a power of two.
// scatter, gather: binomial, linear where only the root knows the sizes (4.1). allgather: recursive
// doubling (4.2). alltoall: recursive doubling for "very short messages", here where its formula is
// the lower one since the paper gives no bound; else, and where sizes are not known, pairwise
// (4.5). reduce: binomial tree (4.1). allreduce: recursive doubling (4.2). reduce_scatter:
// recursive doubling up to a size that was measured for 8 to 256 ranks, else pairwise if the
// MPI_Op commutes (4.4). Source: paper D, section 4.
#include "algorithms/descriptors.hpp"
#include "algorithms/parts.hpp"
#include "algorithms/policy.hpp"

namespace anabranch {
namespace {

constexpr std::int64_t long_from_bytes = 12288;
constexpr std::int32_t long_from_ranks = 8;

Choice choose_bcast(const Problem& problem) {
  const bool use_tree = problem.size_bytes < long_from_bytes || problem.ranks < long_from_ranks;
  if (use_tree) return with_defaults(bcast_binomial, problem);
  constexpr std::int64_t as_in_the_paper = 1;
  return {&bcast_scatter_doubling_allgather, {as_in_the_paper}};
}

// As found on a cluster with Myrinet for 8, 16, 32, 64, 128 and 256 ranks, here up to the next of
// these. Where the formulas of the two meet, tests/algorithms/test_cutoffs.py says.
std::int64_t measured_cutoff_bytes(std::int32_t ranks) {
  if (ranks <= 32) return 512;
  if (ranks <= 64) return 1500;
  return ranks <= 128 ? std::int64_t{15} << 10 : std::int64_t{50} << 10;
}

const Algorithm& pick_reduce_scatter(const Problem& problem) {
  const bool is_short = problem.size_bytes <= measured_cutoff_bytes(problem.ranks);
  return is_short || !problem.commutative ? reduce_scatter_recursive_doubling
                                          : reduce_scatter_pairwise;
}

const Algorithm& pick_alltoall(const Problem& problem) {
  const Choice fewer_rounds{&alltoall_recursive_doubling, {}};
  if (refusal(fewer_rounds, problem)) return alltoall_pairwise;
  const bool is_short =
      alltoall_recursive_doubling.cost_s(problem, {}) < part_per_rank_time_s(problem, {});
  return is_short ? alltoall_recursive_doubling : alltoall_pairwise;
}

}  // namespace

extern const Algorithm bcast_paper_d =
    policy(Collective::bcast, "bcast/paper_d",
           "policy: binomial below 12 KiB or 8 ranks, else scatter and recursive doubling",
           "paper D, sections 4.2 and 4.3", choose_bcast);
extern const Algorithm scatter_paper_d =
    policy(Collective::scatter, "scatter/paper_d",
           "policy: binomial, linear where only the root knows the sizes", "paper D, section 4.1",
           choose<pick_by_sizes<scatter_binomial, scatter_linear>>);
extern const Algorithm gather_paper_d =
    policy(Collective::gather, "gather/paper_d",
           "policy: binomial, linear where only the root knows the sizes", "paper D, section 4.1",
           choose<pick_by_sizes<gather_binomial, gather_linear>>);
extern const Algorithm allgather_paper_d =
    policy(Collective::allgather, "allgather/paper_d", "policy: recursive doubling",
           "paper D, section 4.2", choose<always<allgather_recursive_doubling>>);
extern const Algorithm alltoall_paper_d =
    policy(Collective::alltoall, "alltoall/paper_d",
           "policy: recursive doubling where that is cheaper under the model, else pairwise",
           "paper D, section 4.5", choose<pick_alltoall>);
extern const Algorithm reduce_paper_d =
    policy(Collective::reduce, "reduce/paper_d", "policy: binomial", "paper D, section 4.1",
           choose<always<reduce_binomial>>);
extern const Algorithm allreduce_paper_d =
    policy(Collective::allreduce, "allreduce/paper_d", "policy: recursive doubling",
           "paper D, section 4.2", choose<always<allreduce_recursive_doubling>>);
extern const Algorithm reduce_scatter_paper_d =
    policy(Collective::reduce_scatter, "reduce_scatter/paper_d",
           "policy: recursive doubling for short vectors, pairwise for long ones",
           "paper D, section 4.4", choose<pick_reduce_scatter>);

}  // namespace anabranch
