// Which algorithm serves a call, and why: one function of what all ranks of the call know alike, so
// that they decide alike without a message. Takes a few microseconds; callers keep decisions for
// the next call of the same size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/candidates.hpp"
#include "evidence/evidence.hpp"
#include "select/native_sizes.hpp"
#include "select/settings.hpp"

namespace anabranch {

// What a decision rests on.
enum class Basis : std::uint8_t {
  settings,
  stand_in,       // the default, in place of what is set and cannot serve the call
  fixed_network,  // the model, on the network by which reproducible results are chosen
  tuning,         // a file of `anabranch tune`
  evidence,
  model,
};

// Native is taken unless a candidate is cheaper by this factor: below it the model does not tell,
// and the MPI's own code has less to do for each message.
constexpr double worthwhile_gain = 1.05;

struct Decision {
  Choice choice;            // has a schedule or a protocol, or is native; never a policy
  std::int32_t blocks = 1;  // into which the message is cut
  // Under the model; of native, what published policies would take. Nothing where it cannot tell.
  std::optional<double> predicted_s;
  // What was considered: schedules in the order of their ids, and native. Empty where the network
  // is not known.
  std::vector<Candidate> candidates;
  std::string reason;  // a clause: "the cheapest of 9 under the model"
  Basis basis = Basis::model;
  const Evidence* evidence = nullptr;  // the row of data that decided; null: another basis
  bool is_native = false;              // the MPI serves the call
  bool has_announced_size = false;     // the root announces the size, and all decide again
  // The answer depends on the network or on where ranks are, and not both are known: learn them and
  // ask again. Never where the call is native whatever they are.
  bool needs_network = false;
  // Above 0: links are not known, and the call is long enough to measure them before, by messages
  // of up to so many bytes each (platform/measured_links.hpp); then ask again.
  std::int64_t link_probe_bytes = 0;

  // Under the model, what published policies would take; nothing where nobody can tell.
  std::optional<double> native_s() const {
    return candidates.empty() ? std::nullopt : candidates.back().predicted_s;
  }
  // The cheapest of the other candidates that can serve the call; null where there is none.
  const Candidate* runner_up() const;
  // A clause that says why the candidate is not taken; empty for the one that is.
  std::string why_not(const Candidate& candidate) const;
};

// The order: disabled; what is set for the size; reproducible; a tuning file; rows of evidence; the
// model, against what native costs by published policies. What is set and cannot serve the call
// gives way to the default among those that can, and the reason says so.
//
// The network is unknown where its latency and time per byte are 0, places where nodes.count is 0.
// Unknown places count as a node for each rank.
//
// Sizes that not all ranks know count as none. Where the root of a scatter knows them and what is
// set is not the same for all sizes, the decision `has_announced_size`: the root announces the size
// in its messages, and all decide again, of a problem with that size (is_announced). That decision
// is never native.
//
// Where results are to be reproducible, what reductions run depends on the collective, the number
// of ranks, the size and whether the MPI_Op commutes alone.
Decision decide(Collective collective, const Problem& problem, const Settings& settings);

// Whether the root has announced the size that only it knew.
bool is_announced(const Problem& problem);

// One line: what runs, why, its predicted time, and the runner-up with its and, where it is cheaper
// under the model, why it is not taken.
std::string describe(const Decision& decision);

// "bcast/chain:segment=4KiB", with all parameters.
std::string text_of(const Choice& choice);

}  // namespace anabranch
