// Combining what was received with what is held.
#pragma once

#include <mpi.h>

#include <span>

#include "mpi/message.hpp"
#include "schedule/schedule.hpp"

namespace anabranch::mpi {

// Combines each element of `mine` with the one of `theirs`, which lie one behind the other, and
// leaves the result in `mine`; `theirs` is overwritten if mine are first. Keeps to the order even
// where the MPI_Op commutes: of floating-point numbers the bits may differ. `are_ours`: `mine` is
// memory of the library's, as `theirs` is. `channel` is private. An MPI error code.
int combine(std::span<const Iovec> mine, char* theirs, OperandOrder order, const Element& element,
            MPI_Op op, bool are_ours, MPI_Comm channel, int tag);

}  // namespace anabranch::mpi
