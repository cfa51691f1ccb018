#include "algorithms/group_schedules.hpp"

#include <optional>
#include <stdexcept>

#include "algorithms/candidates.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/instantiate.hpp"
#include "algorithms/segments.hpp"
#include "algorithms/situation.hpp"

namespace anabranch {
namespace {

std::vector<std::int64_t> values_for(const Algorithm& algorithm, const Problem& problem,
                                     std::int64_t segment_bytes) {
  auto values = with_defaults(algorithm, problem).values;
  if (algorithm.blocks == segmented_blocks) values[0] = segment_bytes;
  return values;
}

// Of a group, which knows nothing of nodes.
Situation situation_of_group(Problem problem) {
  problem.nodes = {problem.ranks, 1};
  return situation_of(Collective::bcast, problem);
}

}  // namespace

const Algorithm& cheapest_in_segments(const Problem& problem, std::int64_t segment_bytes) {
  const auto candidates =
      candidates_for(Collective::bcast, problem, [&](const Algorithm& algorithm) {
        const bool is_cut = algorithm.blocks == segmented_blocks;
        return is_cut ? std::optional(
                            Choice{&algorithm, values_for(algorithm, problem, segment_bytes)})
                      : std::nullopt;
      });
  const Candidate* chosen = tuned_default(candidates, situation_of_group(problem)).candidate;
  if (chosen == nullptr) throw std::logic_error("no algorithm cuts messages into segments");
  return *chosen->choice.algorithm;
}

const Algorithm& least_mean_time(const Problem& problem, std::int64_t segment_bytes) {
  const Algorithm& cheapest = cheapest_in_segments(problem, segment_bytes);
  // Of a chain the middle rank leaves at the mean time; other algorithms let all leave at the end.
  Problem to_the_middle = problem;
  to_the_middle.ranks = problem.ranks / 2 + 1;
  const auto values = values_for(bcast_chain, problem, segment_bytes);
  const double chain_s = bcast_chain.cost_s(to_the_middle, values);
  const double cheapest_s = cheapest.cost_s(problem, values_for(cheapest, problem, segment_bytes));
  // A chain has few neighbours too.
  const Evidence* few_neighbours = find_preferring(situation_of_group(problem));
  const double may_cost = few_neighbours != nullptr ? few_neighbours->may_cost : 1;
  return chain_s <= may_cost * cheapest_s ? bcast_chain : cheapest;
}

std::int32_t GroupSchedules::choose(std::int32_t ranks, bool last_passes_on) const {
  Problem problem = problem_;
  problem.ranks = ranks;
  const Algorithm* chosen = last_passes_on ? &bcast_chain
                            : fixed_ != nullptr && fixed_->runs_on(ranks)
                                ? fixed_
                                : &least_mean_time(problem, segment_bytes_);
  const auto all = all_algorithms();
  std::int32_t index = 0;
  while (all[static_cast<std::size_t>(index)] != chosen) ++index;
  return index;
}

bool GroupSchedules::knows(std::int32_t algorithm, std::int32_t ranks) {
  const auto all = all_algorithms();
  const auto index = static_cast<std::size_t>(algorithm);
  return algorithm >= 0 && index < all.size() && all[index]->can_be_component(Collective::bcast) &&
         all[index]->runs_on(ranks);
}

double GroupSchedules::cost_s(std::int32_t ranks) const {
  const Algorithm& chosen = *all_algorithms()[static_cast<std::size_t>(choose(ranks, false))];
  Problem problem = problem_;
  problem.ranks = ranks;
  return chosen.cost_s(problem, values_for(chosen, problem, segment_bytes_));
}

std::shared_ptr<const Schedule> GroupSchedules::schedule(std::int32_t algorithm, std::int32_t ranks,
                                                         std::int32_t rank) const {
  const Algorithm& chosen = *all_algorithms()[static_cast<std::size_t>(algorithm)];
  Problem problem = problem_;
  problem.ranks = ranks;
  const Choice choice{&chosen, values_for(chosen, problem, segment_bytes_)};
  return find_schedule(choice, {.ranks = ranks, .rank = rank}, blocks_, cache_);
}

}  // namespace anabranch
