// Rank 2 is killed while the others wait for it in a broadcast: the launcher must end them, as it
// does without the library.
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIZE_BYTES = 1 << 20 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc(SIZE_BYTES, 1);
  MPI_Bcast(data, SIZE_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 2) {
    usleep(200000);
    kill(getpid(), SIGKILL);
  }
  MPI_Bcast(data, SIZE_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
