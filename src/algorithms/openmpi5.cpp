// What Open MPI 5 selects: baselines.
//
// coll/tuned, by its fixed rules (openmpi5_tables.hpp), where each rank has a node of its own,
// where all share one, and for what coll/han leaves. Nothing is cut into segments, as the rules
// give none. coll/han (priority 35, that of tuned is 30), for all sizes where several ranks share
// one of several nodes: bcast, reduce, allreduce and allgather by nodes, if all nodes have as many
// ranks (not for allreduce) and the MPI_Op commutes. coll/basic, linear: scan, exscan, and gathers
// and scatters of parts of several sizes. Below, each choice says where Open MPI's algorithm is
// another one than ours. Elements, which policies do not know, have 4 bytes. Source: v5.0.10,
// ompi/mca/coll/{tuned,han,libnbc,base}.
#include <algorithm>
#include <span>

#include "algorithms/openmpi5_tables.hpp"
#include "algorithms/policy.hpp"

namespace anabranch {
namespace {

using openmpi5::Row;

const Algorithm& pick_from(std::span<const Row> rows, std::int32_t ranks, std::int64_t bytes) {
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (row->ranks_from <= ranks && row->bytes_from <= bytes) return *row->algorithm;
  }
  return *rows.front().algorithm;
}

// With the values that Open MPI gives: no segments, k-nomial trees of radix 4, and binomial trees
// whose distances double.
Choice as_tuned(const Algorithm& algorithm, const Problem& problem) {
  Choice choice = with_defaults(algorithm, problem);
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    const std::string_view name = algorithm.parameters[i].name;
    if (name == "segment") choice.values[i] = longest_segment_bytes;
    if (name == "radix") choice.values[i] = 4;
    if (name == "halving") choice.values[i] = 0;
  }
  return choice;
}

template <const Algorithm& (*pick)(const Problem&)>
Choice choose_tuned(const Problem& problem) {
  return as_tuned(pick(problem), problem);
}

// Trees of two children have the same shape as Open MPI's, but other ranks in most places.
const Algorithm& pick_bcast(const Problem& problem) {
  return pick_from(openmpi5::bcast_rows, problem.ranks, problem.size_bytes);
}

// Open MPI's binary tree in the order of ranks (in-order_binary: some ranges of sizes from 256
// ranks on, and most MPI_Ops that do not commute) is a binary tree in any order, or binomial.
const Algorithm& pick_reduce(const Problem& problem) {
  if (!problem.commutative) {
    return pick_from(openmpi5::ordered_reduce_rows, problem.ranks, problem.size_bytes);
  }
  return pick_from(openmpi5::reduce_rows, problem.ranks, problem.size_bytes);
}

// Rings of fewer elements than ranks are recursive doubling, and segmented rings without a segment
// size are rings, in Open MPI too. Reduce and broadcast (nonoverlapping) follow their own rules
// there: from 256 ranks on, the sizes for which these are chosen get a binomial and a k-nomial
// tree, as here; on fewer the broadcast is by a binary tree. Where there are fewer elements than
// the largest power of two of ranks, both are linear in the place of Rabenseifner's; here they are
// not.
const Algorithm& pick_allreduce(const Problem& problem) {
  if (!problem.commutative) {
    return pick_from(openmpi5::ordered_allreduce_rows, problem.ranks, problem.size_bytes);
  }
  const Algorithm& pick = pick_from(openmpi5::allreduce_rows, problem.ranks, problem.size_bytes);
  const std::int64_t elements = elements_of(problem);
  if (&pick == &allreduce_ring && elements < problem.ranks) return allreduce_recursive_doubling;
  const bool is_too_short = elements < largest_power_of_two(problem.ranks);
  if (&pick == &allreduce_reduce_scatter_allgather && is_too_short) return allreduce_reduce_bcast;
  return pick;
}

// By the rules of MPI_Reduce_scatter. MPI_Reduce_scatter_block has others; here both are one
// collective. The butterfly is recursive halving, and then parts go where they
// belong.
const Algorithm& pick_reduce_scatter(const Problem& problem) {
  if (!problem.commutative) return reduce_scatter_reduce_scatterv;
  return pick_from(openmpi5::reduce_scatter_rows, problem.ranks, problem.size_bytes);
}

// Recursive doubling falls back on Bruck, in Open MPI too.
const Algorithm& pick_allgather(const Problem& problem) {
  if (!problem.equal_blocks) {
    return pick_from(openmpi5::allgatherv_rows, problem.ranks, problem.part_bytes());
  }
  const Algorithm& pick = pick_from(openmpi5::allgather_rows, problem.ranks, problem.part_bytes());
  const bool needs_another = &pick == &allgather_recursive_doubling;
  return needs_another && !is_power_of_two(problem.ranks) ? allgather_bruck : pick;
}

// Linear with synchronisation (linear_sync) is all at once, as no limit of requests is set.
const Algorithm& pick_alltoall(const Problem& problem) {
  if (!problem.equal_blocks || problem.sizes == SizeKnowledge::own_buffers) {
    return pick_from(openmpi5::alltoallv_rows, problem.ranks, 0);
  }
  return pick_from(openmpi5::alltoall_rows, problem.ranks, problem.part_bytes());
}

// Open MPI's linear_sync and linear_nb are linear. Han's gather and scatter by nodes are not here.
const Algorithm& pick_gather(const Problem& problem) {
  if (!problem.equal_blocks || problem.sizes == SizeKnowledge::own_buffers) return gather_linear;
  return pick_from(openmpi5::gather_rows, problem.ranks, problem.part_bytes());
}

const Algorithm& pick_scatter(const Problem& problem) {
  if (!problem.equal_blocks || problem.sizes == SizeKnowledge::own_buffers) return scatter_linear;
  return pick_from(openmpi5::scatter_rows, problem.ranks, problem.part_bytes());
}

// Han cuts a message into segments, which pass through its levels as a pipeline; here it passes as
// a whole, and components have their own radix and segments. Within nodes, tuned chooses for a
// segment. Between the leaders of nodes the first segment of a broadcast is tuned's, the others are
// coll/libnbc's: to one after the other on few nodes, else binomial.
constexpr std::int64_t han_segment_bytes = 65536;
constexpr std::int32_t linear_up_to_nodes = 4;

bool is_balanced(const Problem& problem) {
  return std::int64_t{problem.nodes.count} * problem.nodes.largest == problem.ranks;
}

Problem one_segment(Problem problem) {
  problem.size_bytes = std::min(problem.size_bytes, han_segment_bytes);
  return problem;
}

Choice choose_bcast(const Problem& problem) {
  if (!shares_nodes(problem) || !is_balanced(problem)) return choose_tuned<pick_bcast>(problem);
  const Algorithm* between = &pick_bcast(between_nodes(problem, 1));
  if (problem.size_bytes > han_segment_bytes) {
    between = problem.nodes.count <= linear_up_to_nodes ? &bcast_flat : &bcast_binomial;
  }
  return by_nodes(bcast_hierarchy, {&pick_bcast(within_node(one_segment(problem))), between});
}

// Reductions between the leaders are libnbc's. An allreduce is one and a broadcast, also by libnbc,
// here always binomial.
bool scatters_between_nodes(const Problem& problem) {
  return problem.nodes.count > 2 &&
         elements_of(one_segment(problem)) >= largest_power_of_two(problem.nodes.count);
}

Choice choose_reduce(const Problem& problem) {
  if (!shares_nodes(problem) || !is_balanced(problem) || !problem.commutative) {
    return choose_tuned<pick_reduce>(problem);
  }
  const Algorithm& between =
      scatters_between_nodes(problem) ? reduce_reduce_scatter_gather : reduce_binomial;
  return by_nodes(reduce_hierarchy, {&pick_reduce(within_node(one_segment(problem))), &between});
}

Choice choose_allreduce(const Problem& problem) {
  if (!shares_nodes(problem) || !problem.commutative) return choose_tuned<pick_allreduce>(problem);
  const Problem within = within_node(one_segment(problem));
  const Algorithm& between = scatters_between_nodes(problem) ? allreduce_reduce_scatter_gather_bcast
                                                             : allreduce_reduce_bcast;
  return by_nodes(allreduce_hierarchy, {&pick_reduce(within), &between, &pick_bcast(within)});
}

Choice choose_allgather(const Problem& problem) {
  if (!shares_nodes(problem) || !is_balanced(problem) || !problem.equal_blocks) {
    return choose_tuned<pick_allgather>(problem);
  }
  Problem of_node = within_node(problem);
  of_node.size_bytes = of_node.ranks * problem.part_bytes();
  return by_nodes(allgather_hierarchy,
                  {&pick_gather(of_node), &pick_allgather(between_nodes(problem, 1)),
                   &pick_bcast(within_node(problem))});
}

constexpr std::string_view source = "Open MPI 5.0.10, coll/tuned and coll/han";

}  // namespace

extern const Algorithm bcast_openmpi5 =
    policy(Collective::bcast, "bcast/openmpi5",
           "policy: a table of ranks and sizes, by nodes, as Open MPI 5", source, choose_bcast);
extern const Algorithm scatter_openmpi5 =
    policy(Collective::scatter, "scatter/openmpi5",
           "policy: binomial or linear by a table of ranks and sizes, as Open MPI 5", source,
           choose_tuned<pick_scatter>);
extern const Algorithm gather_openmpi5 =
    policy(Collective::gather, "gather/openmpi5",
           "policy: binomial or linear by a table of ranks and sizes, as Open MPI 5", source,
           choose_tuned<pick_gather>);
extern const Algorithm allgather_openmpi5 =
    policy(Collective::allgather, "allgather/openmpi5",
           "policy: a table of ranks and sizes, by nodes, as Open MPI 5", source, choose_allgather);
extern const Algorithm alltoall_openmpi5 =
    policy(Collective::alltoall, "alltoall/openmpi5",
           "policy: Bruck, all at once, or in pairs by a table of ranks and sizes, as Open MPI 5",
           source, choose_tuned<pick_alltoall>);
extern const Algorithm reduce_openmpi5 =
    policy(Collective::reduce, "reduce/openmpi5",
           "policy: a table of ranks and sizes, by nodes, as Open MPI 5", source, choose_reduce);
extern const Algorithm allreduce_openmpi5 =
    policy(Collective::allreduce, "allreduce/openmpi5",
           "policy: a table of ranks and sizes, by nodes, as Open MPI 5", source, choose_allreduce);
extern const Algorithm reduce_scatter_openmpi5 = policy(
    Collective::reduce_scatter, "reduce_scatter/openmpi5",
    "policy: a table of ranks and sizes, as Open MPI 5", source, choose_tuned<pick_reduce_scatter>);
extern const Algorithm scan_openmpi5 =
    policy(Collective::scan, "scan/openmpi5", "policy: linear, as Open MPI 5", source,
           choose<always<scan_linear>>);
extern const Algorithm exscan_openmpi5 =
    policy(Collective::exscan, "exscan/openmpi5", "policy: linear, as Open MPI 5", source,
           choose<always<exscan_linear>>);

}  // namespace anabranch
