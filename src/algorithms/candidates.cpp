#include "algorithms/candidates.hpp"

#include <algorithm>

namespace anabranch {
namespace {

// How sums are rounded may differ between machines, and must not decide.
constexpr double equal_within = 1e-9;

// What the model sees no reason for comes after its equals.
bool is_better(const Candidate& one, const Candidate& than) {
  if (!than.choice.algorithm->saves_distance || one.choice.algorithm->saves_distance) {
    return is_cheaper(*one.predicted_s, *than.predicted_s);
  }
  return !is_cheaper(*than.predicted_s, *one.predicted_s);
}

}  // namespace

bool is_cheaper(double one_s, double than_s) { return one_s < than_s * (1 - equal_within); }

std::vector<Candidate> candidates_for(Collective collective, const Problem& problem,
                                      const Consider& consider) {
  std::vector<Candidate> candidates;
  for (const Algorithm* algorithm : all_algorithms()) {
    const bool can_be_run = algorithm->has_schedule() || algorithm->is_protocol();
    const bool is_one = algorithm->collective == collective && can_be_run &&
                        algorithm->cost_s != nullptr && !algorithm->for_comparison;
    auto choice = is_one ? consider(*algorithm) : std::nullopt;
    if (!choice) continue;
    Candidate candidate{*std::move(choice), std::nullopt};
    if (auto why_not = refusal(candidate.choice, problem)) {
      candidate.refusal = *std::move(why_not);
    } else {
      candidate.predicted_s = algorithm->cost_s(problem, candidate.choice.values);
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

std::vector<Candidate> candidates_for(Collective collective, const Problem& problem) {
  return candidates_for(collective, problem, [&](const Algorithm& algorithm) {
    return algorithm.serves_any_group() ? std::optional(with_defaults(algorithm, problem))
                                        : std::nullopt;
  });
}

const Candidate* cheapest_of(std::span<const Candidate> candidates,
                             std::span<const Algorithm* const> but_not) {
  const Candidate* cheapest = nullptr;
  for (const Candidate& candidate : candidates) {
    const Algorithm* algorithm = candidate.choice.algorithm;
    if (!candidate.can_serve() || !algorithm->has_schedule() || algorithm->needs_plan ||
        std::ranges::find(but_not, algorithm) != but_not.end()) {
      continue;
    }
    if (cheapest == nullptr || is_better(candidate, *cheapest)) cheapest = &candidate;
  }
  return cheapest;
}

const Candidate* find_candidate(std::span<const Candidate> candidates, std::string_view id) {
  const auto found = std::ranges::find_if(
      candidates, [&](const Candidate& candidate) { return candidate.choice.algorithm->id == id; });
  return found == candidates.end() ? nullptr : &*found;
}

bool costs_little_enough(const Candidate& preferred, const Evidence& row,
                         const Candidate& cheapest) {
  return *preferred.predicted_s <= row.may_cost * *cheapest.predicted_s;
}

const Evidence* first_preferring(std::span<const Candidate> candidates,
                                 const Situation& situation) {
  for (const Evidence& row : all_evidence()) {
    if (row.is_for_native() || row.holds(situation) != Holds::yes) continue;
    if (find_candidate(candidates, row.prefers) != nullptr) return &row;
  }
  return nullptr;
}

TunedDefault tuned_default(std::span<const Candidate> candidates, const Situation& situation) {
  const Candidate* cheapest = cheapest_of(candidates);
  for (const Evidence& row : all_evidence()) {
    if (row.is_for_native() || row.holds(situation) != Holds::yes) continue;
    const Candidate* preferred = find_candidate(candidates, row.prefers);
    if (preferred == nullptr || !preferred->can_serve()) continue;
    if (costs_little_enough(*preferred, row, *cheapest)) return {preferred, &row};
    if (row.otherwise == Otherwise::next_row) continue;
    return {cheapest, nullptr};
  }
  return {cheapest, nullptr};
}

}  // namespace anabranch
