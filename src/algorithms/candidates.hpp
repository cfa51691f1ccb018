// Which algorithms can serve a problem, at which price, and which of them is the default: one rule
// for the selection, for components of algorithms by nodes and for groups within a protocol.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "evidence/evidence.hpp"

namespace anabranch {

struct Candidate {
  Choice choice;                      // parameters filled in; never a policy
  std::optional<double> predicted_s;  // nothing: not known, or it cannot serve
  std::string refusal = {};           // why it cannot serve the problem; empty where it can

  bool can_serve() const { return refusal.empty() && predicted_s.has_value(); }
};

// How an algorithm would serve the problem; nothing where it is not to be considered.
using Consider = std::function<std::optional<Choice>(const Algorithm&)>;

// The algorithms of the collective with a cost that run here, in the order of their ids.
std::vector<Candidate> candidates_for(Collective collective, const Problem& problem,
                                      const Consider& consider);
// Those for any group of ranks, with their parameters at their defaults.
std::vector<Candidate> candidates_for(Collective collective, const Problem& problem);

// Of the schedules that can serve (a protocol begins as one of them, and takes no less); of equals
// the first, those that save distance last. Trees of a plan are left out: their time is that of
// unlike links, which no other price knows. Null where there is none.
const Candidate* cheapest_of(std::span<const Candidate> candidates,
                             std::span<const Algorithm* const> but_not = {});

// Whether one price is below the other by more than sums are rounded by.
bool is_cheaper(double one_s, double than_s);

const Candidate* find_candidate(std::span<const Candidate> candidates, std::string_view id);

// Whether the candidate that the row prefers is taken; both can serve.
bool costs_little_enough(const Candidate& preferred, const Evidence& row,
                         const Candidate& cheapest);

// The first row of evidence that prefers one of the candidates; null where there is none.
const Evidence* first_preferring(std::span<const Candidate> candidates, const Situation& situation);

struct TunedDefault {
  const Candidate* candidate = nullptr;
  const Evidence* evidence = nullptr;  // null: the model alone
};

// The candidate that the first row of evidence prefers, where it costs little enough; else the
// cheapest.
TunedDefault tuned_default(std::span<const Candidate> candidates, const Situation& situation);

}  // namespace anabranch
