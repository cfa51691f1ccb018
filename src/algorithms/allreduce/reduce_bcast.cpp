// A binomial tree up to the first rank, and a tree down again.
//
// When: a baseline: recursive_doubling takes half the rounds. Cost: 2 q (alpha + beta m) with radix
// 2, which is a binomial tree. Operands keep their order.
// Source: MPICH 1.2.4, by the reduce and the broadcast that paper D replaces (4.3, 4.4); Open MPI's
// "nonoverlapping", with radix 4.
#include "algorithms/composition.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/knomial_tree.hpp"

namespace anabranch {
namespace {

constexpr Parameter radix_of_bcast() {
  Parameter radix = radix_parameter;
  radix.summary = "of the broadcast's tree; 2: binomial";
  radix.default_value = [](const Problem&) -> std::int64_t { return 2; };
  return radix;
}

constexpr Parameter parameters[] = {radix_of_bcast()};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const Schedule first = Component{reduce_binomial}.generate(group, block_count);
  const Schedule second = make_schedule(bcast_knomial, group, block_count, values);
  return reduced_and_broadcast(first, second, block_count);
}

double cost_s(const Problem& problem, Values values) {
  return Component{reduce_binomial}.cost_s(problem) + bcast_knomial.cost_s(problem, values);
}

}  // namespace

extern const Algorithm allreduce_reduce_bcast = {
    .id = "allreduce/reduce_bcast",
    .summary = "reduce to the first rank, which broadcasts the result",
    .source = "paper D, sections 4.3 and 4.4; Open MPI (nonoverlapping)",
    .cost = "2 q (alpha + beta m) with radix 2",
    .collective = Collective::allreduce,
    .parameters = parameters,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
