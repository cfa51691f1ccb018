#include "algorithms/group_schedules.hpp"

#include <array>

#include "algorithms/descriptors.hpp"
#include "algorithms/hierarchy.hpp"
#include "algorithms/in_segments.hpp"
#include "algorithms/instantiate.hpp"
#include "evidence/evidence.hpp"

namespace anabranch {
namespace {

std::int32_t number_of(const Algorithm& algorithm) {
  return static_cast<std::int32_t>(index_of(algorithm));
}

bool can_serve(const Algorithm* algorithm, std::int32_t ranks) {
  return algorithm != nullptr && algorithm->can_be_component(Collective::bcast) &&
         algorithm->runs_on(ranks);
}

// Of one group, s: until the mean rank of a chain leaves, and until all leave in the cheapest
// schedule with the same segments.
struct Times {
  double chain_mean_s;
  const Algorithm& cheapest;
  double cheapest_s;
  double chain_may_cost;  // times the cheapest
};

Times times_of(const Problem& problem, std::int64_t segment_bytes) {
  const auto candidates = candidates_in_segments(Collective::bcast, problem, segment_bytes);
  const Algorithm& cheapest = cheapest_in_segments(Collective::bcast, candidates, problem);
  // Of a chain the middle rank leaves at the mean time; other algorithms let all leave at the end.
  Problem to_the_middle = problem;
  to_the_middle.ranks = problem.ranks / 2 + 1;
  const auto cost_s = [&](const Algorithm& algorithm, const Problem& of) {
    return algorithm.cost_s(of, values_in_segments(algorithm, problem, segment_bytes));
  };
  // A chain has few neighbours too.
  const Evidence* few_neighbours =
      first_preferring(candidates, situation_of_group(Collective::bcast, problem));
  return {cost_s(bcast_chain, to_the_middle), cheapest, cost_s(cheapest, problem),
          few_neighbours != nullptr ? few_neighbours->may_cost : 1};
}

// Of the algorithms that can cut the problem's message into segments of this size, the one with the
// least mean over the ranks of the time at which they leave: a chain, unless the cheapest lets them
// leave clearly earlier.
const Algorithm& least_mean_time(const Problem& problem, std::int64_t segment_bytes) {
  const Times times = times_of(problem, segment_bytes);
  const bool is_chain = times.chain_mean_s <= times.chain_may_cost * times.cheapest_s;
  return is_chain ? bcast_chain : times.cheapest;
}

// Whether what the members lose by a chain is at most what its free port can spare the absent:
// each of them a message time, for which the root may be busy when it comes. Not where it is much
// for a member: the absent may come long after the group has been served.
bool spares_time(const Problem& problem, std::int64_t segment_bytes, std::int32_t absent) {
  const Times times = times_of(problem, segment_bytes);
  const double most_s =
      static_cast<double>(tuned::percent_of_a_chain.value) / 100 * times.cheapest_s;
  if (times.chain_mean_s > most_s) return false;
  const double message_s =
      static_cast<double>(problem.size_bytes) * problem.network.time_per_byte_s;
  return problem.ranks * (times.chain_mean_s - times.cheapest_s) <= absent * message_s;
}

}  // namespace

Places GroupSchedules::places_of(std::span<const std::int32_t> members) const {
  std::vector<std::int32_t> ranks;
  for (const std::int32_t member : members) {
    ranks.push_back(static_cast<std::int32_t>((std::int64_t{member} + group_.root) % group_.ranks));
  }
  return group_.places->of(ranks);
}

Problem GroupSchedules::problem_of(std::span<const std::int32_t> members) const {
  Problem problem = problem_;
  problem.ranks = static_cast<std::int32_t>(members.size());
  const bool knows_nodes = group_.places != nullptr && !group_.places->node_of_rank().empty();
  problem.nodes = knows_nodes ? node_counts(places_of(members)) : NodeCounts{problem.ranks, 1};
  return problem;
}

const Algorithm& GroupSchedules::between(const Problem& problem, std::int32_t absent,
                                         bool is_for_all) const {
  if (absent > 0 && spares_time(problem, segment_bytes_, absent)) return bcast_chain;
  if (fixed_ != nullptr && fixed_->runs_on(problem.ranks)) return *fixed_;
  if (!is_for_all) return least_mean_time(problem, segment_bytes_);
  return cheapest_in_segments(Collective::bcast,
                              candidates_in_segments(Collective::bcast, problem, segment_bytes_),
                              problem);
}

GroupChoice GroupSchedules::choose(std::span<const std::int32_t> members,
                                   std::int32_t absent) const {
  if (has_plan()) return {number_of(bcast_plan)};
  return choose(problem_of(members), absent);
}

GroupChoice GroupSchedules::choose(const Problem& problem, std::int32_t absent) const {
  const auto best_within = [&] {
    return static_cast<std::int32_t>(best_within_node(Collective::bcast, problem));
  };
  const bool is_for_all = problem.ranks == problem_.ranks;
  if (problem.nodes.largest <= 1) return {number_of(between(problem, absent, is_for_all))};
  if (problem.nodes.count == 1) return {fixed_ != nullptr ? number_of(*fixed_) : best_within()};
  const Problem leaders = between_nodes(problem, 1);
  return {number_of(between(leaders, absent, is_for_all)), best_within()};
}

bool GroupSchedules::lets_last_pass_on(GroupChoice choice,
                                       std::span<const std::int32_t> members) const {
  const Algorithm* algorithm = algorithm_at(choice.algorithm);
  if (algorithm == &bcast_plan) return false;  // its trees keep all ports busy
  return algorithm == &bcast_chain || problem_of(members).nodes.count == 1;
}

bool GroupSchedules::knows(GroupChoice choice, std::span<const std::int32_t> members) const {
  const Algorithm* algorithm = algorithm_at(choice.algorithm);
  if (algorithm == &bcast_plan) return has_plan() && choice.within < 0;
  const Problem problem = problem_of(members);
  if (choice.within < 0) return can_serve(algorithm, problem.ranks);
  return can_serve(algorithm, problem.nodes.count) &&
         can_serve(algorithm_at(choice.within), problem.nodes.largest);
}

double GroupSchedules::cost_s(std::int32_t ranks) const {
  Problem problem = problem_;
  problem.ranks = ranks;
  if (problem.planned.slice_bytes > 0) {
    return bcast_plan.cost_s(problem, with_defaults(bcast_plan, problem).values);
  }
  if (ranks <= 2 || problem.nodes.count == 0) problem.nodes = {ranks, 1};
  const auto [algorithm, within] = choose(problem, 0);
  const Algorithm& chosen = *algorithm_at(algorithm);
  if (within < 0)
    return chosen.cost_s(problem, values_in_segments(chosen, problem, segment_bytes_));
  return bcast_hierarchy.cost_s(problem, std::array<std::int64_t, 3>{within, algorithm, 1});
}

std::shared_ptr<const Schedule> GroupSchedules::schedule(GroupChoice choice,
                                                         std::span<const std::int32_t> members,
                                                         std::int32_t place) const {
  const Algorithm& chosen = *algorithm_at(choice.algorithm);
  Group group{.ranks = static_cast<std::int32_t>(members.size()), .rank = place};
  if (choice.within >= 0 || chosen.needs_plan) {
    group.places = std::make_shared<const Places>(places_of(members));
  }
  if (choice.within >= 0) {
    return find_schedule({&bcast_hierarchy, {choice.within, choice.algorithm, 1}}, group, blocks_,
                         cache_);
  }
  Problem problem = problem_;
  problem.ranks = group.ranks;
  return find_schedule({&chosen, values_in_segments(chosen, problem, segment_bytes_)}, group,
                       blocks_, cache_);
}

}  // namespace anabranch
