// The one way from a call of a collective function to its operation.
#pragma once

#include "mpi/call.hpp"

namespace anabranch::mpi {

enum class Served : bool { by_the_mpi, here };

// Serves the call, or leaves it to the MPI beneath: when the decision says so, and for all
// arguments that are wrong, so that the user gets the MPI's own error. `error` is set when served
// here.
Served serve(const Call& call, int& error) noexcept;

}  // namespace anabranch::mpi
