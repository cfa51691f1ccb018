// Calls whose root alone knows their size, and tells it in the messages of the operation itself:
// MPI_Scatterv. What serves such a call is decided by the root when it calls, and by any other rank
// when its first message is there, from whomever.
#pragma once

#include <string>

#include "mpi/driver.hpp"

namespace anabranch::mpi {

// Waits for the first message of the operation with this tag, and takes it in, into its memory. An
// MPI error code. `name` is what the watchdog calls the operation.
int take_lead(BlockMemory& memory, const Members& members, std::int32_t tag, const Waiting& waiting,
              const std::string& name, Lead& lead);

}  // namespace anabranch::mpi
