#include "select/rivals.hpp"

#include <algorithm>
#include <span>

#include "select/price.hpp"

namespace anabranch {
namespace {

bool may_be_compared(const Decision& decision, const Problem& problem, const Settings& settings) {
  return settings.guard && !settings.reproducible && decision.basis != Basis::settings &&
         !decision.needs_network && !decision.candidates.empty() &&
         problem.sizes == SizeKnowledge::everywhere;
}

bool may_be_challenged(const Decision& decision, const Problem& problem) {
  const bool is_ours = decision.basis == Basis::evidence || decision.basis == Basis::model;
  const bool prices_mean_much =
      problem.nodes.count > 1 && problem.ranks > 2 && !problem.links_differ;
  // Before links are measured, which comes first.
  const bool prices_will_change = decision.link_probe_bytes > 0;
  return is_ours && prices_mean_much && !prices_will_change &&
         !decision.choice.algorithm->is_protocol();
}

// Of candidates that are priced alike, at most `count`, but none of `taken`, to which they are
// added.
void take_cheapest(std::span<const Candidate> candidates, std::size_t count,
                   std::vector<const Algorithm*>& taken) {
  const Candidate* cheapest = cheapest_of(candidates);
  if (cheapest == nullptr) return;
  const double native_s = candidates.back().predicted_s.value_or(*cheapest->predicted_s);
  const double most_s = prices_within * std::min(*cheapest->predicted_s, native_s);
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate* next = cheapest_of(candidates, taken);
    if (next == nullptr || *next->predicted_s > most_s) return;
    taken.push_back(next->choice.algorithm);
  }
}

std::vector<const Algorithm*> challengers_of(const Decision& decision, const Problem& problem) {
  const Algorithm* choice = decision.choice.algorithm;
  std::vector<const Algorithm*> taken = {choice};
  take_cheapest(decision.candidates, 1, taken);
  if (problem.network.gap_s == 0) {
    Problem split = problem;
    split.network = problem.network.with_overhead();
    take_cheapest(priced_candidates(choice->collective, split), 1, taken);
  }
  take_cheapest(decision.candidates, most_challengers + 1 - taken.size(), taken);
  return {taken.begin() + 1, taken.end()};
}

}  // namespace

std::vector<const Algorithm*> rivals_of(const Decision& decision, const Problem& problem,
                                        const Settings& settings) {
  std::vector<const Algorithm*> rivals;
  if (!may_be_compared(decision, problem, settings)) return rivals;
  if (!decision.is_native) rivals.push_back(decision.candidates.back().choice.algorithm);
  if (may_be_challenged(decision, problem)) {
    const auto challengers = challengers_of(decision, problem);
    rivals.insert(rivals.end(), challengers.begin(), challengers.end());
  }
  return rivals;
}

bool has_rivals(const Decision& decision, const Problem& problem, const Settings& settings) {
  if (!may_be_compared(decision, problem, settings)) return false;
  if (!decision.is_native) return true;
  if (!may_be_challenged(decision, problem)) return false;
  std::vector<const Algorithm*> likeliest;
  take_cheapest(decision.candidates, 1, likeliest);
  return !likeliest.empty() || !challengers_of(decision, problem).empty();
}

std::optional<Decision> decision_for(const Algorithm& algorithm, const Decision& decision,
                                     const Problem& problem) {
  const Candidate* candidate = find_candidate(decision.candidates, algorithm.id);
  if (candidate == nullptr) return std::nullopt;
  if (!candidate->can_serve() && !algorithm.is_native()) return std::nullopt;
  Decision other{.choice = candidate->choice,
                 .predicted_s = candidate->predicted_s,
                 .candidates = {decision.candidates.back()},
                 .reason = "timed beside " + text_of(decision.choice),
                 .basis = decision.basis,
                 .is_native = algorithm.is_native()};
  if (algorithm.blocks != nullptr) other.blocks = algorithm.blocks(problem, other.choice.values);
  return other;
}

}  // namespace anabranch
