// What is timed beside the choice in the first calls of a class (trial.hpp).
#pragma once

#include <optional>
#include <vector>

#include "select/decision.hpp"
#include "select/trial.hpp"

namespace anabranch {

// Native, or a schedule.
struct Rival {
  const Algorithm* algorithm = nullptr;
  // Its parameters are the best by prices that count the overhead of messages.
  bool counts_overhead = false;

  bool operator==(const Rival&) const = default;
};

// Native first, where it is not the choice, so that what is slower is dropped soon. Then up to
// most_challengers schedules that the model cannot rule out: it prices them at no more than
// `prices_within` times the least. The cheapest is the first; the others are the cheapest by prices
// that count the overhead of messages, where the decision's do not, then by the decision's own. Of
// those priced alike one is enough, as long as there are others.
// No challengers where a tuning file or a plan has chosen; where the choice does not wait for late
// ranks, which calls without them would not show; and where prices mean little: on one node,
// between two ranks. Of native where links differ only the cheapest is one. Nobody where the user
// has chosen or has turned the guard off, where results are to be reproducible, and where not all
// ranks know the size.
inline constexpr std::size_t most_challengers = Trial::most_contenders - 2;
inline constexpr double prices_within = 3;
std::vector<Rival> rivals_of(const Decision& decision, const Problem& problem,
                             const Settings& settings);

// Whether there are any, mostly without further prices.
bool has_rivals(const Decision& decision, const Problem& problem, const Settings& settings);

// The decision with another of its candidates, native included, in place of the choice; nothing
// where that cannot serve the call. Of the candidates it keeps native alone.
std::optional<Decision> decision_for(const Rival& rival, const Decision& decision,
                                     const Problem& problem);

}  // namespace anabranch
