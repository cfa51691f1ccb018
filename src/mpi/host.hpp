// The host of this process, as the MPI calls it.
#pragma once

#include <mpi.h>

#include <string>

#include "mpi/functions.hpp"

namespace anabranch::mpi {

inline std::string host_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  native.Get_processor_name(name, &length);
  return {name, static_cast<std::size_t>(length)};
}

}  // namespace anabranch::mpi
