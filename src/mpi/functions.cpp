#include "mpi/functions.hpp"

#include <dlfcn.h>

namespace anabranch::mpi {

Functions native;

const char* load_functions(void* handle) {
#define ANABRANCH_OPTIONAL_MPI_FUNCTION(name) \
  native.name = reinterpret_cast<decltype(native.name)>(dlsym(handle, "PMPI_" #name));
#define ANABRANCH_MPI_FUNCTION(name)    \
  ANABRANCH_OPTIONAL_MPI_FUNCTION(name) \
  if (native.name == nullptr) return "its MPI has no PMPI_" #name;
#include "mpi/functions.inc"
#undef ANABRANCH_MPI_FUNCTION
#undef ANABRANCH_OPTIONAL_MPI_FUNCTION
  return nullptr;
}

}  // namespace anabranch::mpi
