// The one way from a call of a collective function to its collective.
#pragma once

#include <memory>

#include "mpi/call.hpp"
#include "mpi/request.hpp"

namespace anabranch::mpi {

enum class Served : bool { by_the_mpi, here };

// The call as a request that has begun; null where it is left to the MPI, or where `error` is set.
std::shared_ptr<Request> start(const Call& call, int& error) noexcept;

// Serves the call, or leaves it to the MPI beneath: when the decision says so, and for all
// arguments that are wrong, so that the user gets the MPI's own error. `error` is set when served
// here.
Served serve(const Call& call, int& error) noexcept;

}  // namespace anabranch::mpi
