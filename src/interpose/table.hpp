// What the dispatcher and the library for one ABI hand each other. Plain C data: they are built
// apart.
#pragma once

namespace anabranch::interpose {

using Address = void*;

// One address per function of functions.inc; null where there is none.
struct Table {
#define ANABRANCH_COLLECTIVE(name, arguments) \
  Address name = nullptr;                     \
  Address name##_c = nullptr;
#define ANABRANCH_START_OR_END(name, arguments) Address name = nullptr;
#include "interpose/functions.inc"
#undef ANABRANCH_COLLECTIVE
#undef ANABRANCH_START_OR_END
};

// By the two names that each function has. Programs call MPI_; other tools that stand between them
// and us call PMPI_ in turn, and so does the Fortran layer of some MPIs.
struct Functions {
  Table mpi;
  Table pmpi;
};

// Given to the library: the handle of the loaded MPI, and what would have been called without us.
struct Beneath {
  Address mpi_handle = nullptr;
  Functions next;
};

// What is to be called instead, and the functions of anabranch.h.
struct Offered {
  Functions functions;
  Address set = nullptr;
  Address last_error = nullptr;
  Address last_choice = nullptr;
};

// The library's one entry point, `anabranch_attach`. Returns null, or one line that says what is
// missing.
using Attach = const char* (*)(const Beneath* beneath, Offered* offered);

}  // namespace anabranch::interpose
