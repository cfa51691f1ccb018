#include "algorithms/arrival_aware.hpp"

#include <algorithm>

#include "algorithms/arrival_roles.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/hierarchy.hpp"
#include "algorithms/in_segments.hpp"

namespace anabranch {

std::unique_ptr<Execution> start_arrival_aware(const Group& group, std::int32_t blocks,
                                               const Conditions& conditions,
                                               const ArrivalRules& rules,
                                               const GroupSchedules& groups) {
  if (group.rank == 0) {
    return arrival_aware::start_root(group, blocks, conditions, rules, groups);
  }
  return arrival_aware::start_receiver(group, blocks, conditions, groups);
}

// A hundredth of the message time and a round trip.
std::int64_t default_gather_us(const Problem& problem) {
  const Network& network = problem.network;
  const double message_s =
      network.latency_s + static_cast<double>(problem.size_bytes) * network.time_per_byte_s;
  const double gather_us = (0.01 * message_s + 2 * network.latency_s) * 1e6;
  return static_cast<std::int64_t>(std::min(gather_us, static_cast<double>(most_gather_us)));
}

std::int64_t default_chain_segment(const Problem& problem) {
  return bcast_chain.parameters[0].default_value(problem);
}

std::int64_t segment_at_places(const Problem& problem) {
  if (problem.planned.slice_bytes > 0) return problem.planned.slice_bytes;
  const bool shares_nodes = problem.nodes.count > 1 && problem.nodes.largest > 1;
  return segment_for_groups(bcast_chain, shares_nodes ? between_nodes(problem, 1) : problem);
}

Group without_places(Group group) {
  group.places = nullptr;
  return group;
}

Problem without_places(Problem problem) {
  problem.nodes = {};
  problem.planned = {};
  return problem;
}

std::int32_t messages_within(std::int64_t cap_bytes, const Conditions& conditions) {
  const std::int64_t size_bytes = std::max(conditions.problem.size_bytes, std::int64_t{1});
  const std::int64_t free_bytes = std::max(cap_bytes - conditions.pushed_bytes, std::int64_t{0});
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(free_bytes / size_bytes, conditions.problem.ranks));
}

GroupSchedules group_schedules(const Group& group, const Conditions& conditions,
                               std::int32_t blocks, std::int64_t segment_bytes,
                               std::int64_t group_algorithm) {
  const Algorithm* fixed =
      group_algorithm < 0 ? nullptr : all_algorithms()[static_cast<std::size_t>(group_algorithm)];
  return {group, conditions.problem, segment_bytes, blocks, fixed, conditions.cache};
}

double serving_one_s(const Problem& problem, std::int64_t segment_bytes) {
  return serving_group_s(problem, 2, segment_bytes, -1);
}

double serving_group_s(const Problem& problem, std::int32_t ranks, std::int64_t segment_bytes,
                       std::int64_t group_algorithm) {
  if (ranks < 2 || problem.size_bytes == 0) return 0;
  const Group group{.ranks = ranks};
  return group_schedules(group, {.problem = problem}, 1, segment_bytes, group_algorithm)
      .cost_s(ranks);
}

}  // namespace anabranch
