// What MPICH 3 selects: baselines.
//
// bcast: binomial tree below 12,288 bytes or 8 ranks; below 524,288 bytes on a power of two of
// ranks scatter and recursive doubling; else scatter and ring. Source: paper C, sections I and V.
// The others, by the defaults of its control variables (MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE, ..):
// scatter, gather: binomial, linear where only the root knows the sizes. allgather: below 524,288
// bytes on a power of two of ranks recursive doubling, below 81,920 bytes Bruck, else ring.
// alltoall: parts up to 256 bytes on 8 or more ranks Bruck, up to 32,768 bytes all at once, else
// in pairs (by exclusive or on a power of two of ranks). reduce, allreduce: up to 2,048 bytes, and
// for MPI_Ops that do not commute, binomial and recursive doubling; else reduce-scatter and
// gather or allgather. (MPICH does so for all MPI_Ops of the user's and for fewer elements than
// ranks, which policies do not know.) reduce_scatter: recursive halving below 524,288 bytes, else
// pairwise; recursive doubling if the MPI_Op does not commute. scan, exscan: recursive doubling.
#include "algorithms/descriptors.hpp"
#include "algorithms/policy.hpp"

namespace anabranch {
namespace {

// Several ranks share a node (MPIR_CVAR_ENABLE_SMP_COLLECTIVES). The limits on sizes,
// MPIR_CVAR_MAX_SMP_*_MSG_SIZE, are off. Not here: MPICH's leader is the first rank of a node, to
// which another root sends a short broadcast first, while ours is the root; and its scan by nodes.
bool is_node_aware(const Problem& problem) { return problem.nodes.largest > 1; }

constexpr std::int64_t bcast_medium_from_bytes = 12288;
constexpr std::int64_t long_from_bytes = 524288;
constexpr std::int32_t medium_from_ranks = 8;

bool is_short_bcast(const Problem& problem) {
  return problem.size_bytes < bcast_medium_from_bytes || problem.ranks < medium_from_ranks;
}

bool is_medium_bcast(const Problem& problem) {
  return problem.size_bytes < long_from_bytes && is_power_of_two(problem.ranks);
}

const Algorithm& pick_bcast(const Problem& problem) {
  if (is_short_bcast(problem)) return bcast_binomial;
  return is_medium_bcast(problem) ? bcast_scatter_doubling_allgather : bcast_scatter_ring_allgather;
}

// By nodes, short messages along binomial trees, and medium ones between the nodes by an exchange.
Choice choose_bcast(const Problem& problem) {
  const bool is_short = is_short_bcast(problem);
  if (!is_node_aware(problem) || (!is_short && !is_medium_bcast(problem))) {
    return choose<pick_bcast>(problem);
  }
  const Algorithm& exchange = is_power_of_two(problem.nodes.count)
                                  ? bcast_scatter_doubling_allgather
                                  : bcast_scatter_ring_allgather;
  return by_nodes(bcast_hierarchy, {&bcast_binomial, is_short ? &bcast_binomial : &exchange});
}

constexpr std::int64_t short_reduction_bytes = 2048;
constexpr std::int64_t long_reduce_scatter_bytes = 524288;

bool keeps_messages_whole(const Problem& problem) {
  return problem.size_bytes <= short_reduction_bytes || !problem.commutative;
}

const Algorithm& pick_reduce(const Problem& problem) {
  return keeps_messages_whole(problem) ? reduce_binomial : reduce_reduce_scatter_gather;
}

// Within nodes and between them as over all ranks, but by nodes only if the MPI_Op commutes.
Choice choose_reduce(const Problem& problem) {
  if (!is_node_aware(problem) || !problem.commutative) return choose<pick_reduce>(problem);
  return by_nodes(reduce_hierarchy, {&pick_reduce(problem), &pick_reduce(problem)});
}

const Algorithm& pick_allreduce(const Problem& problem) {
  return keeps_messages_whole(problem) ? allreduce_recursive_doubling
                                       : allreduce_reduce_scatter_allgather;
}

Choice choose_allreduce(const Problem& problem) {
  if (!is_node_aware(problem) || !problem.commutative) return choose<pick_allreduce>(problem);
  return by_nodes(allreduce_hierarchy, {&pick_reduce(problem), &pick_allreduce(problem),
                                        &pick_bcast(within_node(problem))});
}

const Algorithm& pick_reduce_scatter(const Problem& problem) {
  if (!problem.commutative) return reduce_scatter_recursive_doubling;
  return problem.size_bytes < long_reduce_scatter_bytes ? reduce_scatter_recursive_halving
                                                        : reduce_scatter_pairwise;
}

constexpr std::int64_t allgather_medium_from_bytes = 81920;

const Algorithm& pick_allgather(const Problem& problem) {
  if (problem.size_bytes < long_from_bytes && is_power_of_two(problem.ranks)) {
    return allgather_recursive_doubling;
  }
  return problem.size_bytes < allgather_medium_from_bytes ? allgather_bruck : allgather_ring;
}

constexpr std::int64_t alltoall_short_up_to_bytes = 256;  // per part
constexpr std::int64_t alltoall_medium_up_to_bytes = 32768;

const Algorithm& pick_alltoall(const Problem& problem) {
  if (!problem.equal_blocks || problem.sizes == SizeKnowledge::own_buffers) {
    return alltoall_all_at_once;
  }
  if (problem.part_bytes() <= alltoall_short_up_to_bytes && problem.ranks >= medium_from_ranks) {
    return alltoall_bruck;
  }
  if (problem.part_bytes() <= alltoall_medium_up_to_bytes) return alltoall_all_at_once;
  return is_power_of_two(problem.ranks) ? alltoall_pairwise_xor : alltoall_pairwise;
}

constexpr std::string_view source = "MPICH 3.2, src/mpi/coll";

}  // namespace

extern const Algorithm bcast_mpich3 = policy(
    Collective::bcast, "bcast/mpich3",
    "policy: binomial, scatter and recursive doubling, or scatter and ring, by nodes, as MPICH 3",
    "paper C, sections I and V", choose_bcast);
extern const Algorithm scatter_mpich3 =
    policy(Collective::scatter, "scatter/mpich3",
           "policy: binomial, linear where only the root knows the sizes, as MPICH 3", source,
           choose<pick_by_sizes<scatter_binomial, scatter_linear>>);
extern const Algorithm gather_mpich3 =
    policy(Collective::gather, "gather/mpich3",
           "policy: binomial, linear where only the root knows the sizes, as MPICH 3", source,
           choose<pick_by_sizes<gather_binomial, gather_linear>>);
extern const Algorithm allgather_mpich3 =
    policy(Collective::allgather, "allgather/mpich3",
           "policy: recursive doubling, Bruck or ring, as MPICH 3", source, choose<pick_allgather>);
extern const Algorithm alltoall_mpich3 =
    policy(Collective::alltoall, "alltoall/mpich3",
           "policy: Bruck, all at once, or in pairs, as MPICH 3", source, choose<pick_alltoall>);
extern const Algorithm reduce_mpich3 = policy(
    Collective::reduce, "reduce/mpich3",
    "policy: binomial, or reduce-scatter and gather, by nodes, as MPICH 3", source, choose_reduce);
extern const Algorithm allreduce_mpich3 =
    policy(Collective::allreduce, "allreduce/mpich3",
           "policy: recursive doubling, or reduce-scatter and allgather, by nodes, as MPICH 3",
           source, choose_allreduce);
extern const Algorithm reduce_scatter_mpich3 =
    policy(Collective::reduce_scatter, "reduce_scatter/mpich3",
           "policy: recursive halving, pairwise, or recursive doubling, as MPICH 3", source,
           choose<pick_reduce_scatter>);
extern const Algorithm scan_mpich3 =
    policy(Collective::scan, "scan/mpich3", "policy: recursive doubling, as MPICH 3", source,
           choose<always<scan_recursive_doubling>>);
extern const Algorithm exscan_mpich3 =
    policy(Collective::exscan, "exscan/mpich3", "policy: recursive doubling, as MPICH 3", source,
           choose<always<exscan_recursive_doubling>>);

}  // namespace anabranch
