// Which algorithms serve a problem, and which of them is cheapest under the model: one rule for the
// selection, for parts of compositions and for groups within a protocol.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "algorithms/algorithm.hpp"

namespace anabranch {

struct Offer {
  Choice choice;  // without an algorithm where there is none
  double predicted_s = std::numeric_limits<double>::infinity();
};

// Of the algorithms with a schedule that serve a problem; of equals the one whose id comes first.
struct Offers {
  Offer cheapest;
  Offer second;
  Offer measured;  // the one that measurements prefer (preference.hpp)
  double measured_may_cost = 0;
  int count = 0;

  // The cheapest, or the one that measurements prefer where that costs little more.
  const Offer& preferred() const;
};

// How an algorithm would serve the problem; nothing where it is not to be considered.
using Candidate = std::function<std::optional<Choice>(const Algorithm&)>;

Offers offers_for(Collective collective, const Problem& problem, const Candidate& candidate);
// All algorithms, with their parameters at their defaults.
Offers offers_for(Collective collective, const Problem& problem);

}  // namespace anabranch
