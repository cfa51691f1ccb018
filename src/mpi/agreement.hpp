// What ranks agree on before they may take an algorithm of their own.
#pragma once

#include <mpi.h>

namespace anabranch::mpi {

// The least of each value over all ranks, as by MPI_Allreduce in place; but polled, so that a rank
// which comes first gives the processor away while it waits for the others, and the watchdog tells
// of one that does not come. An MPI error code.
int agree_on_least(void* values, int count, MPI_Datatype datatype, MPI_Comm comm);

}  // namespace anabranch::mpi
