// Ranks that are there together combine at once; the last to come send, and all get the result.
//
// When: ranks arrive at different times, by a message time or more, and messages are long. While
// the late are awaited the others combine, so that only one message is missing when the last one
// comes: rank 0 takes it, and passes the result on to all, block by block. Cost: as the cheapest
// allreduce, and two latencies, where all arrive together; T and a pipeline fill after the last
// arrival where one rank is late. Where rank 0 is the late one, all wait for it. Operands are
// combined in the order of arrivals, so that sums of floating-point numbers may have other bits in
// each run. Source: ours; Proficz, J. Supercomputing 74 (2018), sends beforehand what predicted
// arrivals allow.
#include <algorithm>

#include "algorithms/arrival_reductions.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

// Latencies that a segment takes at least, so that those of all add a twentieth to a ring.
constexpr double least_latencies = 20;

// As a ring's, but not longer than those of the chain along which the result passes, where these
// need no handshake: its last rank has it so many segments later.
std::int64_t default_segment(const Problem& problem) {
  const Network& network = problem.network;
  const std::int64_t longest = best_part_segment_bytes(problem);
  const double longest_s = static_cast<double>(longest) * network.time_per_byte_s;
  const double least_s = least_latencies * network.latency_s;
  if (least_s >= longest_s) return longest;
  const auto least = static_cast<std::int64_t>(least_s / network.time_per_byte_s);
  const std::int64_t along_chain = bcast_chain.parameters[0].default_value(problem);
  const std::int64_t segment = std::max(along_chain, whole_frames(least));
  return segment <= network.eager_limit_bytes ? std::min(longest, segment) : longest;
}

constexpr Parameter parameters[] = {part_segment(default_segment),
                                    gather_parameter(default_gather_us)};

double cost_s(const Problem& problem, Values values) {
  return arrival_reduction_s(Collective::allreduce, problem,
                             segmented_blocks_of_parts(problem, values));
}

}  // namespace

extern const Algorithm allreduce_arrival_groups = {
    .id = "allreduce/arrival_groups",
    .summary = "ranks that are there together combine; after the last one came all get the result",
    .source = "ours",
    .cost = "2 alpha more than the cheapest; T after the last arrival where one is late",
    .collective = Collective::allreduce,
    .parameters = parameters,
    .commutative_only = true,
    .combines_by_arrival = true,
    .blocks = segmented_blocks_of_parts,
    .make = start_arrival_groups<Collective::allreduce>,
    .cost_s = cost_s,
};

}  // namespace anabranch
