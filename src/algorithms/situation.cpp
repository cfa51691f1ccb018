#include "algorithms/situation.hpp"

#include <limits>

namespace anabranch {
namespace {

// Nothing takes time: infinitely often.
double ratio(double above, double below) {
  if (below > 0) return above / below;
  return above > 0 ? std::numeric_limits<double>::infinity() : 0;
}

}  // namespace

bool is_known(const Network& network) {
  return network.latency_s > 0 || network.time_per_byte_s > 0;
}

Situation situation_of(Collective collective, const Problem& problem) {
  const auto size_bytes = static_cast<double>(problem.size_bytes);
  Situation situation{.collective = collective,
                      .size_bytes = size_bytes,
                      .part_bytes = static_cast<double>(problem.part_bytes()),
                      .ranks = problem.ranks,
                      .has_equal_parts = problem.equal_blocks,
                      .network_known = is_known(problem.network),
                      .links_known = problem.links_known,
                      .links_differ = problem.links_differ,
                      .is_balanced = problem.is_balanced,
                      .native_policy = problem.native_policy};
  const Network& network = problem.network;
  if (is_known(network)) {
    situation.latency_s = network.latency_s;
    situation.bytes_per_s = ratio(1, network.time_per_byte_s);
    situation.latencies_on_wire = ratio(size_bytes * network.time_per_byte_s, network.latency_s);
  }
  const auto slice_bytes = static_cast<double>(problem.planned.slice_bytes);
  if (slice_bytes > 0) situation.plan_slices = size_bytes / slice_bytes;
  if (problem.nodes.count > 0) {
    situation.nodes = problem.nodes.count;
    situation.ranks_a_node = problem.nodes.largest;
    situation.in_blocks = problem.nodes.in_blocks;
    if (slice_bytes == 0) situation.plan_slices = 0;
  }
  return situation;
}

}  // namespace anabranch
