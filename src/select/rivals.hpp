// What is timed beside the choice in the first calls of a class (trial.hpp).
#pragma once

#include <optional>
#include <vector>

#include "select/decision.hpp"
#include "select/trial.hpp"

namespace anabranch {

// Native first, where it is not the choice, so that what is slower is dropped soon. Then up to
// most_challengers schedules that the model cannot rule out, the likeliest first: it prices them at
// no more than `prices_within` times the least. One of them by prices that count an assumed
// overhead, where nobody measured that: many short messages that wait for nothing are dear without.
// No challengers where a tuning file has chosen;
// where the choice does not wait for late ranks, which calls without them would not show; and where
// prices mean little: on one node, between two ranks, on links that differ. Nobody where the user
// has chosen or has turned the guard off, where results are to be reproducible, and where not all
// ranks know the size.
inline constexpr std::size_t most_challengers = Trial::most_contenders - 2;
inline constexpr double prices_within = 2;
std::vector<const Algorithm*> rivals_of(const Decision& decision, const Problem& problem,
                                        const Settings& settings);

// Whether there are any, mostly without further prices.
bool has_rivals(const Decision& decision, const Problem& problem, const Settings& settings);

// The decision with another of its candidates, native included, in place of the choice; nothing
// where that cannot serve the call. Of the candidates it keeps native alone.
std::optional<Decision> decision_for(const Algorithm& algorithm, const Decision& decision,
                                     const Problem& problem);

}  // namespace anabranch
