#include "mpi/agreement.hpp"

#include <cstdio>

#include "mpi/functions.hpp"
#include "mpi/state.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {
namespace {

void report_missing_ranks(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  native.Comm_rank(comm, &rank);
  native.Comm_size(comm, &size);
  std::fprintf(
      stderr,
      "anabranch: watchdog: rank %d of %d waits for all ranks of the communicator to enter their "
      "first collective on it\n",
      rank, size);
}

}  // namespace

int agree_on_least(void* values, int count, MPI_Datatype datatype, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  int error = native.Iallreduce(MPI_IN_PLACE, values, count, datatype, MPI_MIN, comm, &request);
  Waiter waiter({settings().wait, settings().watchdog_s});
  waiter.begin();
  while (error == MPI_SUCCESS) {
    int completed = 0;
    int index = 0;
    MPI_Status status;
    error = native.Testsome(1, &request, &completed, &index, &status);
    if (error == MPI_ERR_IN_STATUS) error = status.MPI_ERROR;
    if (completed != 0) break;  // or undefined: there was no request
    if (waiter.wait()) report_missing_ranks(comm);
  }
  return error;
}

}  // namespace anabranch::mpi
