// The MPI beneath, as a table of functions.
//
// Nothing here is linked to an MPI: a program may have loaded its MPI where neither RTLD_NEXT nor
// RTLD_DEFAULT finds it (Python does), so each function is looked up in the library that is loaded.
#pragma once

#include <mpi.h>

namespace anabranch::mpi {

struct Functions {
#define ANABRANCH_MPI_FUNCTION(name) decltype(&PMPI_##name) name = nullptr;
#define ANABRANCH_OPTIONAL_MPI_FUNCTION(name) decltype(&PMPI_##name) name = nullptr;
#include "mpi/functions.inc"
#undef ANABRANCH_MPI_FUNCTION
#undef ANABRANCH_OPTIONAL_MPI_FUNCTION
};

// The table; empty before load_functions.
extern Functions native;

// Fills the table from the library behind `handle` (of dlopen). Returns null, or what it lacks.
const char* load_functions(void* handle);

}  // namespace anabranch::mpi
