// Broadcasts 100,000 B three times; before the second one rank 1 comes 50 ms late.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc(100000, 1);
  for (int i = 0; i < 3; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const struct timespec pause = {0, 50 * 1000 * 1000};
    if (i == 1 && rank == 1) nanosleep(&pause, NULL);
    MPI_Bcast(data, 100000, MPI_BYTE, 2, MPI_COMM_WORLD);
  }
  free(data);
  MPI_Finalize();
  return argc == 2 ? 5 : 0;
}
