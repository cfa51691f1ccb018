// Settings are read once per process and compared between ranks, before the first decision.
#pragma once

#include <mpi.h>

#include <atomic>

namespace anabranch::mpi {

// After MPI_Init: for all ranks of MPI_COMM_WORLD, and so for good. Where settings are invalid or
// differ, one rank says so in one line and the program ends with exit code 2.
void start_world();

// Whether start_world has run.
extern constinit std::atomic<bool> world_is_started;
inline bool world_started() { return world_is_started.load(std::memory_order_acquire); }

// As MPI_Abort begins. It may return, as MPICH's does until the launcher kills the process, and the
// program may go on to MPI_Finalize: then no other rank can be waited for.
void note_abort();
bool is_aborting();

// In a process without MPI_Init (one that uses sessions): the same for the ranks of `comm`,
// together.
void start_on(MPI_Comm comm);

}  // namespace anabranch::mpi
