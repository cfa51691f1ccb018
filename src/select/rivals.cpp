#include "select/rivals.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "select/price.hpp"

namespace anabranch {
namespace {

// Where prices are less than a thousandth apart the model does not tell the two apart.
bool are_priced_alike(double one_s, double other_s) {
  constexpr double alike = 1.001;
  return std::max(one_s, other_s) <= alike * std::min(one_s, other_s);
}

bool may_be_compared(const Decision& decision, const Problem& problem, const Settings& settings) {
  return settings.guard && !settings.reproducible && decision.basis != Basis::settings &&
         !decision.needs_network && !decision.candidates.empty() &&
         problem.sizes == SizeKnowledge::everywhere;
}

bool may_be_challenged(const Decision& decision, const Problem& problem) {
  const bool is_ours = decision.basis == Basis::evidence || decision.basis == Basis::model;
  const bool prices_mean_much = problem.nodes.count > 1 && problem.ranks > 2;
  // What is not native goes by a plan then.
  const bool is_as_planned = problem.links_differ && !decision.is_native;
  // Before links are measured, which comes first.
  const bool prices_will_change = decision.link_probe_bytes > 0;
  return is_ours && prices_mean_much && !is_as_planned && !prices_will_change &&
         !decision.choice.algorithm->is_protocol();
}

std::vector<Candidate> priced_with_overhead(Collective collective, const Problem& problem) {
  Problem split = problem;
  split.network = problem.network.with_overhead();
  return priced_candidates(collective, split);
}

// The challengers of a choice, as they are found.
class Challengers {
 public:
  explicit Challengers(const Algorithm& choice) : taken_{{&choice}} {}

  enum class Alike : std::uint8_t { one_is_enough, all };

  // The cheapest of the candidates, at most `count`, none twice.
  void take(std::span<const Candidate> candidates, bool counts_overhead, std::size_t count,
            Alike alike = Alike::one_is_enough) {
    const Candidate* next = cheapest_of(candidates);
    if (next == nullptr) return;
    const double native_s = candidates.back().predicted_s.value_or(*next->predicted_s);
    const double most_s = prices_within * std::min(*next->predicted_s, native_s);
    std::vector<const Algorithm*> seen = algorithms_taken();
    const std::size_t enough = std::min(taken_.size() + count, most_challengers + 1);
    while (taken_.size() < enough) {
      next = cheapest_of(candidates, seen);
      if (next == nullptr || *next->predicted_s > most_s) return;
      seen.push_back(next->choice.algorithm);
      if (alike == Alike::one_is_enough && is_like_one_taken(*next, candidates)) continue;
      taken_.push_back({next->choice.algorithm, counts_overhead});
    }
  }

  bool are_none() const { return taken_.size() == 1; }
  std::span<const Rival> all() const { return std::span(taken_).subspan(1); }

 private:
  std::vector<const Algorithm*> algorithms_taken() const {
    std::vector<const Algorithm*> algorithms;
    for (const Rival& each : taken_) algorithms.push_back(each.algorithm);
    return algorithms;
  }
  bool is_like_one_taken(const Candidate& candidate, std::span<const Candidate> candidates) const {
    return std::ranges::any_of(taken_, [&](const Rival& each) {
      if (each.algorithm->is_native()) return false;  // whose price is a guess
      const Candidate* other = find_candidate(candidates, each.algorithm->id);
      return other != nullptr && other->can_serve() &&
             are_priced_alike(*candidate.predicted_s, *other->predicted_s);
    });
  }

  std::vector<Rival> taken_;  // the choice first
};

Challengers challengers_of(const Decision& decision, const Problem& problem) {
  const Algorithm* choice = decision.choice.algorithm;
  Challengers challengers(*choice);
  challengers.take(decision.candidates, false, 1);
  if (problem.links_differ) return challengers;
  if (problem.network.gap_s == 0) {
    challengers.take(priced_with_overhead(choice->collective, problem), true, most_challengers);
  }
  challengers.take(decision.candidates, false, most_challengers);
  challengers.take(decision.candidates, false, most_challengers, Challengers::Alike::all);
  return challengers;
}

}  // namespace

std::vector<Rival> rivals_of(const Decision& decision, const Problem& problem,
                             const Settings& settings) {
  std::vector<Rival> rivals;
  if (!may_be_compared(decision, problem, settings)) return rivals;
  if (!decision.is_native) rivals.push_back({decision.candidates.back().choice.algorithm});
  if (may_be_challenged(decision, problem)) {
    const Challengers challengers = challengers_of(decision, problem);
    rivals.insert(rivals.end(), challengers.all().begin(), challengers.all().end());
  }
  return rivals;
}

bool has_rivals(const Decision& decision, const Problem& problem, const Settings& settings) {
  if (!may_be_compared(decision, problem, settings)) return false;
  if (!decision.is_native) return true;
  if (!may_be_challenged(decision, problem)) return false;
  Challengers likeliest(*decision.choice.algorithm);
  likeliest.take(decision.candidates, false, 1);
  return !likeliest.are_none() || !challengers_of(decision, problem).are_none();
}

std::optional<Decision> decision_for(const Rival& rival, const Decision& decision,
                                     const Problem& problem) {
  const Algorithm& algorithm = *rival.algorithm;
  std::vector<Candidate> by_overhead;
  std::span<const Candidate> candidates = decision.candidates;
  if (rival.counts_overhead) {
    by_overhead = priced_with_overhead(algorithm.collective, problem);
    candidates = by_overhead;
  }
  const Candidate* candidate = find_candidate(candidates, algorithm.id);
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
