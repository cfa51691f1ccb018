// Decisions that a communicator keeps, and what ANABRANCH_EXPLAIN prints of them.
#pragma once

#include <memory>

#include "mpi/call.hpp"
#include "mpi/communicator.hpp"
#include "mpi/driver.hpp"
#include "select/decision.hpp"

namespace anabranch::mpi {

// What the ranks of the call know alike.
Problem problem_of(const Call& call, const Measure& measure, const Communicator& communicator);

// The same as for the last call of that kind and size, as long as the settings are the same.
std::shared_ptr<const Decision> decide_once(Collective collective, const Problem& problem,
                                            Communicator& communicator, const Settings& settings);

// Once for each size class (a power of two) of a communicator, by its first rank.
void explain(const Call& call, const Problem& problem, Communicator& communicator,
             const Decision& decision);

// By the root, where a rank is later than a message takes; then where one is twice as late.
void explain_lateness(Communicator& communicator, const Lateness& lateness,
                      const Decision& decision);

}  // namespace anabranch::mpi
