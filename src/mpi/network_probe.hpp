// A short measurement of the network, once per process, where the settings do not give it.
#pragma once

#include "mpi/communicator.hpp"

namespace anabranch::mpi {

// To all ranks by a broadcast of our own from rank 0: the MPI's may poll without a pause, and take
// the processors from the ranks that measure.
int tell_all(void* values, std::int64_t size_bytes, Communicator& communicator);

// Latency and time per byte between the first and the last rank (which lie on two nodes, if any
// do), then told to all ranks of the open channel. Takes 32 round trips of a byte and 3 of 32 KiB,
// during which the other ranks leave the processors alone. An MPI error code.
int probe_network(Communicator& communicator);

}  // namespace anabranch::mpi
