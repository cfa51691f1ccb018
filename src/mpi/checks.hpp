// Whether a call is one that the MPI would refuse: then it is left to the MPI, and the user gets
// the MPI's own error.
#pragma once

#include "mpi/buffers.hpp"
#include "mpi/call.hpp"

namespace anabranch::mpi {

bool is_wrong(const RankView& view, const Elements& elements);

// Whether the MPI has returned that error code because of the arguments of a call, before it took
// part in it.
bool is_for_arguments(int error);

// Whether the MPI_Op is one of MPI's own, rather than the user's.
bool is_predefined(MPI_Op op);

// Whether the result has the same bits, in whichever order operands are combined: as far as MPI's
// own types and operations tell. `datatype` may be wrong.
bool combines_exactly(MPI_Op op, MPI_Datatype datatype);

}  // namespace anabranch::mpi
