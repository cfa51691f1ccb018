/* The last rank skips the first collective on a communicator of all ranks: as many bytes as the
   argument says are summed up. All wait then until they are ended. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int const bytes = atoi(argv[1]);
  char *data = calloc((size_t)bytes, 1), *sum = calloc((size_t)bytes, 1);
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
  if (rank < size - 1) MPI_Allreduce(data, sum, bytes, MPI_BYTE, MPI_BOR, comm);
  char never;
  MPI_Recv(&never, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return 1;
}
