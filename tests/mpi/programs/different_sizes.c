// The last rank gives a broadcast another size than the others do, which is an error.
// Usage: different_sizes SIZE_BYTES SIZE_BYTES_OF_THE_LAST
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 3);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int const bytes = atoi(argv[rank == size - 1 ? 2 : 1]);
  char* data = calloc((size_t)bytes, 1);
  MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  free(data);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
