#include "algorithms/in_segments.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "algorithms/segments.hpp"
#include "algorithms/situation.hpp"

namespace anabranch {

std::vector<std::int64_t> values_in_segments(const Algorithm& algorithm, const Problem& problem,
                                             std::int64_t segment_bytes) {
  auto values = with_defaults(algorithm, problem).values;
  if (algorithm.blocks == segmented_blocks) values[0] = segment_bytes;
  return values;
}

std::vector<Candidate> candidates_in_segments(Collective collective, const Problem& problem,
                                              std::int64_t segment_bytes) {
  return candidates_for(
      collective, problem, [&](const Algorithm& algorithm) -> std::optional<Choice> {
        if (!algorithm.has_schedule() || algorithm.blocks != segmented_blocks) return std::nullopt;
        return Choice{&algorithm, values_in_segments(algorithm, problem, segment_bytes)};
      });
}

Situation situation_of_group(Collective collective, Problem problem) {
  problem.nodes = {problem.ranks, 1};
  return situation_of(collective, problem);
}

std::int64_t segment_for_groups(const Algorithm& chain, const Problem& problem) {
  const std::int64_t of_chain = with_defaults(chain, problem).values[0];
  if (!is_known(problem.network)) return of_chain;
  const auto candidates =
      candidates_for(chain.collective, problem, [&](const Algorithm& algorithm) {
        const bool is_one = algorithm.serves_any_group() && algorithm.blocks == segmented_blocks;
        return is_one ? std::optional(with_defaults(algorithm, problem)) : std::nullopt;
      });
  const Candidate* chosen =
      tuned_default(candidates, situation_of_group(chain.collective, problem)).candidate;
  if (chosen == nullptr) return of_chain;
  const std::int64_t of_chosen = chosen->choice.values[0];
  return of_chosen <= std::max(of_chain, problem.size_bytes / 16) ? of_chosen : of_chain;
}

const Algorithm& cheapest_in_segments(Collective collective, std::span<const Candidate> candidates,
                                      const Problem& problem) {
  const Candidate* chosen =
      tuned_default(candidates, situation_of_group(collective, problem)).candidate;
  if (chosen == nullptr) {
    throw std::logic_error("no " + std::string(name_of(collective)) +
                           " cuts messages into segments");
  }
  return *chosen->choice.algorithm;
}

}  // namespace anabranch
