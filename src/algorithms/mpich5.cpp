// What MPICH 5 selects (5.0, device ch4, buffers of the host): baselines.
//
// bcast: up to 12,288 bytes and on fewer than 8 ranks binomial; up to 524,288 bytes on a power of
// two of ranks scatter and recursive doubling; else scatter and ring. reduce above 2,048 bytes and
// allreduce above 8 bytes: reduce-scatter and gather or allgather, unless there are fewer elements
// than the largest power of two of ranks; else, and for MPI_Ops that do not commute, binomial and
// recursive doubling. (MPICH does so for all MPI_Ops of the user's, which policies do not know.)
// allgather, alltoall, reduce_scatter, scan, exscan, gather, scatter: as MPICH 3. Its alltoall all
// at once has 32 messages under way, and its scan by nodes is not here. The broadcast by circulant
// graphs, new in 5.1, is no default. Source: maint/tuning/coll: mpir/generic.json over all ranks or
// leaders, ch4/generic.json for compositions by nodes, ch4/posix_generic.json within a node.
#include "algorithms/descriptors.hpp"
#include "algorithms/policy.hpp"

namespace anabranch {
namespace {

constexpr std::int64_t bcast_short_up_to_bytes = 12288;
constexpr std::int64_t bcast_medium_up_to_bytes = 524288;
constexpr std::int32_t medium_from_ranks = 8;

const Algorithm& pick_bcast(const Problem& problem) {
  if (problem.ranks < medium_from_ranks || problem.size_bytes <= bcast_short_up_to_bytes) {
    return bcast_binomial;
  }
  if (problem.size_bytes <= bcast_medium_up_to_bytes && is_power_of_two(problem.ranks)) {
    return bcast_scatter_doubling_allgather;
  }
  return bcast_scatter_ring_allgather;
}

// Compositions alpha and beta; else gamma, over all ranks. Here the bounds belong to the longer
// messages. MPICH's leader is the first rank of a node, to which another root of a short message
// sends first, and which sends what a reduction has to another root; ours is the root.
bool is_bcast_by_nodes(const Problem& problem) {
  if (!shares_nodes(problem)) return false;
  if (problem.ranks < medium_from_ranks) return true;
  return problem.size_bytes <
         (is_power_of_two(problem.ranks) ? bcast_medium_up_to_bytes : bcast_short_up_to_bytes);
}

// Within a node MPICH uses shared memory with flags, no messages (release_gather): trees of 64
// children for bcast, 4 or 2 for reduce, in cells of 8 KiB. A pipelined binary tree is the closest.
Choice choose_bcast(const Problem& problem) {
  if (!is_bcast_by_nodes(problem)) return choose<pick_bcast>(problem);
  return by_nodes(bcast_hierarchy, {&bcast_binary, &pick_bcast(between_nodes(problem, 1))});
}

constexpr std::int64_t short_reduce_bytes = 2048;
constexpr std::int64_t short_allreduce_bytes = 8;

bool keeps_messages_whole(const Problem& problem, std::int64_t short_bytes) {
  return problem.size_bytes <= short_bytes || !problem.commutative ||
         elements_of(problem) < largest_power_of_two(problem.ranks);
}

const Algorithm& pick_reduce(const Problem& problem) {
  return keeps_messages_whole(problem, short_reduce_bytes) ? reduce_binomial
                                                           : reduce_reduce_scatter_gather;
}

Choice choose_reduce(const Problem& problem) {
  if (!shares_nodes(problem) || !problem.commutative) return choose<pick_reduce>(problem);
  return by_nodes(reduce_hierarchy, {&reduce_binary, &pick_reduce(between_nodes(problem, 1))});
}

const Algorithm& pick_allreduce(const Problem& problem) {
  return keeps_messages_whole(problem, short_allreduce_bytes) ? allreduce_recursive_doubling
                                                              : allreduce_reduce_scatter_allgather;
}

// Also on one node.
Choice choose_allreduce(const Problem& problem) {
  if (problem.nodes.largest <= 1 || !problem.commutative) return choose<pick_allreduce>(problem);
  const Algorithm& between = pick_allreduce(between_nodes(problem, 1));
  return by_nodes(allreduce_hierarchy, {&reduce_binary, &between, &bcast_binary});
}

// As MPICH 3, but with an algorithm of its own for MPI_Ops that do not commute: recursive halving,
// in another order than here.
Choice choose_reduce_scatter(const Problem& problem) {
  const bool halves =
      !problem.commutative && problem.equal_blocks && is_power_of_two(problem.ranks);
  return halves ? with_defaults(reduce_scatter_recursive_halving, problem)
                : as<reduce_scatter_mpich3>(problem);
}

constexpr std::string_view source = "MPICH 5.0, maint/tuning/coll";

}  // namespace

extern const Algorithm bcast_mpich5 =
    policy(Collective::bcast, "bcast/mpich5",
           "policy: binomial, scatter and recursive doubling, or scatter and ring, by nodes, "
           "as MPICH 5",
           source, choose_bcast);
extern const Algorithm scatter_mpich5 =
    policy(Collective::scatter, "scatter/mpich5",
           "policy: binomial, linear where only the root knows the sizes, as MPICH 5", source,
           as<scatter_mpich3>);
extern const Algorithm gather_mpich5 =
    policy(Collective::gather, "gather/mpich5",
           "policy: binomial, linear where only the root knows the sizes, as MPICH 5", source,
           as<gather_mpich3>);
extern const Algorithm allgather_mpich5 =
    policy(Collective::allgather, "allgather/mpich5",
           "policy: recursive doubling, Bruck or ring, as MPICH 5", source, as<allgather_mpich3>);
extern const Algorithm alltoall_mpich5 =
    policy(Collective::alltoall, "alltoall/mpich5",
           "policy: Bruck, all at once, or in pairs, as MPICH 5", source, as<alltoall_mpich3>);
extern const Algorithm reduce_mpich5 = policy(
    Collective::reduce, "reduce/mpich5",
    "policy: binomial, or reduce-scatter and gather, by nodes, as MPICH 5", source, choose_reduce);
extern const Algorithm allreduce_mpich5 =
    policy(Collective::allreduce, "allreduce/mpich5",
           "policy: recursive doubling, or reduce-scatter and allgather, by nodes, as MPICH 5",
           source, choose_allreduce);
extern const Algorithm reduce_scatter_mpich5 =
    policy(Collective::reduce_scatter, "reduce_scatter/mpich5",
           "policy: recursive halving, pairwise, or recursive doubling, as MPICH 5", source,
           choose_reduce_scatter);
extern const Algorithm scan_mpich5 =
    policy(Collective::scan, "scan/mpich5", "policy: recursive doubling, as MPICH 5", source,
           as<scan_mpich3>);
extern const Algorithm exscan_mpich5 =
    policy(Collective::exscan, "exscan/mpich5", "policy: recursive doubling, as MPICH 5", source,
           as<exscan_mpich3>);

}  // namespace anabranch
