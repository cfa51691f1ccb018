// Which algorithm serves a call, and why.
//
// A pure function of what all ranks of the call know alike, so that they decide alike without a
// message. Takes a few microseconds; callers keep decisions for the next call of the same size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/algorithm.hpp"
#include "select/settings.hpp"

namespace anabranch {

struct Decision {
  Choice choice;            // has a schedule, or is native; never a policy
  std::int32_t blocks = 1;  // into which the message is cut
  // Under the cost model; nothing where it cannot tell, as for native.
  std::optional<double> predicted_s;
  Choice runner_up;  // without an algorithm where there is none
  std::optional<double> runner_up_predicted_s;
  std::string reason;   // a clause: "the cheapest of 9 under the model"
  bool is_led = false;  // the root tells the size, and all decide again
};

// Follows the settings where they name an algorithm. Policies are followed to what they pick. One
// that cannot serve the call gives way to the cheapest that can, and the reason says so.
//
// Sizes that not all ranks know count as none, so that all decide alike. But where the root of a
// scatter knows them, and what is set is not the same for all sizes, the decision `is_led`: the
// root tells the size in its messages, and all decide again, of a problem with that size (is_told).
// That decision is never native, in which the root has nothing to tell.
//
// Where results are to be reproducible, what reductions run depends on the collective, the number
// of ranks, the sizes and whether the operation commutes alone: neither on the network nor on where
// ranks are.
Decision decide(Collective collective, const Problem& problem, const Settings& settings);

// Whether the root has told the others the size that only it knew.
bool is_told(const Problem& problem);

// Whether the call goes to native whatever the network is: the first test of each call, before
// anything is known of the network.
bool stays_native(Collective collective, std::int64_t size_bytes, const Settings& settings);

// Whether calls of all sizes do.
bool always_stays_native(Collective collective, const Settings& settings);

// One line: what runs, why, its predicted time, and the runner-up with its.
std::string describe(const Decision& decision);

// "bcast/chain:segment=4KiB", with all parameters.
std::string text_of(const Choice& choice);

}  // namespace anabranch
