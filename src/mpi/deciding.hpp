// Decisions that a communicator keeps, and what ANABRANCH_EXPLAIN prints of them.
#pragma once

#include <memory>
#include <optional>

#include "mpi/call.hpp"
#include "mpi/communicator.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {

// What the ranks of the call decide alike: the same as for the last call of that kind and size, as
// long as the settings are the same and nothing more is known of the network. Working on the record
// is the caller's business; the answer stays where it is as long as the caller works on it.
Communicator::Remembered& decide_once(const Call& call, const Measure& measure,
                                      Communicator& communicator, const SettingsInForce& in_force);

// Whether the result has the same bits, in whichever order operands are combined.
bool is_exact(const Call& call);

// Something more is known of the network.
void forget_decisions(Communicator& communicator);

// What the rival would take, s; of native that nobody can price, what the choice would. Nothing
// where it cannot serve the call.
std::optional<double> price_of(const Algorithm& rival, const Decision& decision);

// The same problem, decided for that rival; null where it cannot serve the call. Working on the
// record is the caller's business.
std::shared_ptr<const Decided> decided_for(const Rival& rival,
                                           Communicator::Remembered& remembered);

// Once for each size class (a power of two) of a communicator, by its first rank.
void explain(const Call& call, const Decided& decided, Communicator& communicator);

// Whether the calls that follow go by `decided`, a protocol, or without it, by the first rank.
void explain_balance(const Call& call, const Decided& decided, const Balance& balance,
                     const Communicator& communicator);

// What a round of a trial told, by the first rank.
void explain(const GuardedClass& guarded, const Trial::Verdict& verdict,
             const Communicator& communicator);

}  // namespace anabranch::mpi
