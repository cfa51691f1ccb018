// Runs what was chosen for one collective operation, on one rank.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "algorithms/algorithm.hpp"
#include "mpi/driver.hpp"

namespace anabranch::mpi {

// All ranks of the channel have the same one, but for what belongs to a rank.
struct CollectiveOperation {
  const Choice& choice;
  const Problem& problem;
  std::int32_t blocks = 1;  // into which the choice cuts a part
  std::int32_t tag = 0;
  Window window;
  Waiting waiting;
  Mail& mail;
  Lateness* lateness = nullptr;  // filled in on the root of a protocol
  Recording* recording = nullptr;
  MPI_Op combining = MPI_OP_NULL;
  std::shared_ptr<const Places> places = nullptr;
  // Of the blocks of scratch memory, which repeats: that of the larger buffer.
  const PartLayout* scratch_sizes = nullptr;
  const Lead* lead = nullptr;  // null: the root tells no size
};

// `rank` is absolute; `memory` has its input and output. An MPI error code.
int run_operation(const CollectiveOperation& operation, BlockMemory& memory, const Members& members,
                  std::int32_t rank);

}  // namespace anabranch::mpi
