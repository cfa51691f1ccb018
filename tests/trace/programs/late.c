// Broadcasts 100,000 B three times. With an argument rank 1 comes to the second one once rank 0 has
// left it, which an algorithm for late ranks lets it, and the status is 5.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc(100000, 1);
  char token = 0;
  for (int i = 0; i < 3; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const int is_late = argc == 2 && i == 1;
    if (is_late && rank == 1) {
      MPI_Recv(&token, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(data, 100000, MPI_BYTE, 2, MPI_COMM_WORLD);
    if (is_late && rank == 0) MPI_Send(&token, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  }
  free(data);
  MPI_Finalize();
  return argc == 2 ? 5 : 0;
}
