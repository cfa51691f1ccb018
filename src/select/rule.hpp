// What serves a call for which nothing is set.
#pragma once

#include <string>

#include "algorithms/algorithm.hpp"
#include "algorithms/cheapest.hpp"

namespace anabranch {

struct Ruling {
  Choice choice;
  std::string reason;  // a clause
};

// Native where the message is short or nothing was measured to be faster. Else, where several ranks
// share a node, the algorithm that goes by nodes; else the cheapest schedule under the model,
// unless the one that was the fastest in measurements costs little more. `offers` are those for the
// problem.
Ruling rule(Collective collective, const Problem& problem, const Offers& offers);

bool is_known(const Network& network);
Choice native_for(Collective collective);
std::string cheapest_of(const Offers& offers);  // "the cheapest of 9"

}  // namespace anabranch
