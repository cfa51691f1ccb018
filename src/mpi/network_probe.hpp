// A short measurement of the network, once per process, where the settings do not give it.
#pragma once

#include "mpi/communicator.hpp"

namespace anabranch::mpi {

// To all ranks by a broadcast of our own from rank 0: the MPI's may poll without a pause, and take
// the processors from the ranks that measure.
int tell_all(void* values, std::int64_t size_bytes, Communicator& communicator);

// Between rank 0 and the last rank on another node: latency, time per byte, the overhead of short
// messages and the eager limit. Between the first two ranks that share a node: latency and time per
// byte there. From all ranks of rank 0's node at once: how many messages its ports carry, and how
// much its memory. All of it is told to all ranks of the open channel. Takes some 50 round trips of
// a byte, four of 32 KiB and at most 62 KiB one way, during which the other ranks leave the
// processors alone; and where ranks share nodes, three times 32 KiB, or 64 latencies on the wire,
// from a node and within it. An MPI error code.
int probe_network(Communicator& communicator);

}  // namespace anabranch::mpi
