// A mode for tests: before each call the ranks compare who is to serve it, and the program ends
// where they differ, which would else hang or give wrong results.
#pragma once

#include "mpi/call.hpp"
#include "mpi/communicator.hpp"
#include "select/trial.hpp"

namespace anabranch::mpi {

// All ranks of the call wait for each other. Does not return where they differ: the rank that
// differs and the first one say what they took, and the program ends with exit code 2.
void compare_decisions(const Call& call, const Decided& decided);

}  // namespace anabranch::mpi
