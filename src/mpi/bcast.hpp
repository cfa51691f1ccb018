// MPI_Bcast as the library serves it.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace anabranch::mpi {

struct BcastCall {
  void* buffer = nullptr;
  std::int64_t count = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

enum class Served : bool { by_the_mpi, here };

// Serves the call, or leaves it to the MPI beneath: when the decision says so, and for all
// arguments that are wrong, so that the user gets the MPI's own error. `error` is set when served
// here.
Served bcast(const BcastCall& call, int& error) noexcept;

}  // namespace anabranch::mpi
