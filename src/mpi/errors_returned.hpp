// Errors on a communicator of the user, for a while.
#pragma once

#include <mpi.h>

#include "mpi/functions.hpp"

namespace anabranch::mpi {

// While it lives, errors on the communicator are returned rather than handed to the user.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    known_ = native.Comm_get_errhandler(comm_, &before_) == MPI_SUCCESS;
    if (known_) native.Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturned() {
    if (!known_) return;
    native.Comm_set_errhandler(comm_, before_);
    native.Errhandler_free(&before_);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
  bool known_ = false;
};

}  // namespace anabranch::mpi
