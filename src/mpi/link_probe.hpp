// Measures the links among the nodes of a communicator with all of them busy at once: what shows
// slow nodes and thin trunks (platform/measured_links.hpp).
#pragma once

#include <cstdint>

#include "mpi/communicator.hpp"

namespace anabranch::mpi {

// Together with all other ranks, in which the first rank of each node takes part; or what this
// process remembers of the same nodes, if all ranks do. On return all ranks know the same: the
// record has the links, and where they differ a plan for them, unless it has one already.
// `further_bytes` as by further_probe_bytes(), `size_bytes` of the call that waits for it. An MPI
// error code.
int probe_links(Communicator& communicator, std::int64_t further_bytes, std::int64_t size_bytes);

}  // namespace anabranch::mpi
