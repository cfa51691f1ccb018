// The tree that is optimal in the LogP model: whoever has the message sends it to one rank after
// the other, and all ranks are reached in the least time.
//
// When: short messages on a network whose latency is above the overhead of a message: then a rank
// has several under way at once. Cost in the one-port model: c (alpha + beta m), the c children of
// the root; in LogP, with delay D from one rank to the next and gap g between sends of a rank, the
// least t with sum over k of C(floor((t - k D) / g) + k, k) >= p. The delay D = g makes it as fast
// as bcast/binomial, a long one bcast/flat.
// Source: Karp, Sahay, Santos, Schauser, SPAA 1993; Alexandrov et al., SPAA 1995 (bytes).
#include "algorithms/logp_tree.hpp"
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

constexpr Parameter parameters[] = {delay_parameter};

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const LogpTree tree(group.ranks, values[0]);
  const BlockSet message = blocks(0, block_count);
  const LogpTree::Place place = tree.place_of(group.rank);
  Builder builder(group.ranks, group.rank, tree.rounds(), block_count);
  if (group.rank != 0) builder.receive(place.round, place.parent, message);
  tree.for_each_child(
      place, [&](const LogpTree::Place& child) { builder.send(child.round, child.rank, message); });
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  const auto size = static_cast<double>(problem.size_bytes);
  const Network& network = problem.network;
  return LogpTree(problem.ranks, values[0])
      .time_s(network.message_s(size), network.turn_s(size, false));
}

}  // namespace

extern const Algorithm bcast_logp_tree = {
    .id = "bcast/logp_tree",
    .summary = "tree of least time in LogP: whoever has the message sends it on and on",
    .source = "Karp, Sahay, Santos, Schauser, SPAA 1993",
    .cost = "c (alpha + beta m), c children of the root: q or more, up to p - 1",
    .collective = Collective::bcast,
    .parameters = parameters,
    .uses_ports_in_turn_in_blocks = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
