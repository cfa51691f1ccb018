// What MPICH 3 selects, without its node-aware part: baselines.
//
// bcast: binomial tree below 12,288 bytes or 8 ranks; below 524,288 bytes on a power of two of
// ranks scatter and recursive doubling; else scatter and ring. reduce, allreduce: up to 2,048 bytes
// binomial and recursive doubling; else reduce-scatter and gather or allgather. reduce_scatter:
// recursive halving below 524,288 bytes, else pairwise if the operation commutes.
// Source: paper C, sections I and V; the defaults of MPICH 3.4 (MPIR_CVAR_..._MSG_SIZE).
#include <bit>

#include "algorithms/descriptors.hpp"
#include "algorithms/policy.hpp"

namespace anabranch {
namespace {

constexpr std::int64_t medium_from_bytes = 12288;
constexpr std::int64_t long_from_bytes = 524288;
constexpr std::int32_t medium_from_ranks = 8;

const Algorithm& pick_bcast(const Problem& problem) {
  if (problem.size_bytes < medium_from_bytes || problem.ranks < medium_from_ranks) {
    return bcast_binomial;
  }
  const bool power_of_two = std::has_single_bit(static_cast<std::uint32_t>(problem.ranks));
  if (problem.size_bytes < long_from_bytes && power_of_two) {
    return bcast_scatter_doubling_allgather;
  }
  return bcast_scatter_ring_allgather;
}

constexpr std::int64_t short_reduction_bytes = 2048;
constexpr std::int64_t long_reduce_scatter_bytes = 524288;

const Algorithm& pick_reduce(const Problem& problem) {
  return problem.size_bytes <= short_reduction_bytes ? reduce_binomial
                                                     : reduce_reduce_scatter_gather;
}
const Algorithm& pick_allreduce(const Problem& problem) {
  return problem.size_bytes <= short_reduction_bytes ? allreduce_recursive_doubling
                                                     : allreduce_reduce_scatter_allgather;
}
const Algorithm& pick_reduce_scatter(const Problem& problem) {
  if (!problem.commutative) return reduce_scatter_recursive_doubling;
  return problem.size_bytes < long_reduce_scatter_bytes ? reduce_scatter_recursive_halving
                                                        : reduce_scatter_pairwise;
}
const Algorithm& pick_scan(const Problem&) { return scan_recursive_doubling; }
const Algorithm& pick_exscan(const Problem&) { return exscan_recursive_doubling; }

}  // namespace

extern const Algorithm bcast_mpich3 =
    policy(Collective::bcast, "bcast/mpich3",
           "policy: binomial, scatter and recursive doubling, or scatter and ring, as MPICH 3",
           "paper C, sections I and V", choose<pick_bcast>);

extern const Algorithm reduce_mpich3 = policy(
    Collective::reduce, "reduce/mpich3",
    "policy: binomial, or reduce-scatter and gather, as MPICH 3", "MPICH 3.4", choose<pick_reduce>);

extern const Algorithm allreduce_mpich3 =
    policy(Collective::allreduce, "allreduce/mpich3",
           "policy: recursive doubling, or reduce-scatter and allgather, as MPICH 3", "MPICH 3.4",
           choose<pick_allreduce>);

extern const Algorithm reduce_scatter_mpich3 =
    policy(Collective::reduce_scatter, "reduce_scatter/mpich3",
           "policy: recursive halving, pairwise, or recursive doubling, as MPICH 3", "MPICH 3.4",
           choose<pick_reduce_scatter>);

extern const Algorithm scan_mpich3 =
    policy(Collective::scan, "scan/mpich3", "policy: recursive doubling, as MPICH 3", "MPICH 3.4",
           choose<pick_scan>);

extern const Algorithm exscan_mpich3 =
    policy(Collective::exscan, "exscan/mpich3", "policy: recursive doubling, as MPICH 3",
           "MPICH 3.4", choose<pick_exscan>);

}  // namespace anabranch
