// The root leaves a broadcast before any other rank has arrived in it: they arrive when they have
// heard from the root afterwards. Hangs where the root waits for them.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE_BYTES = 20000, ROUNDS = 5 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* data = calloc(SIZE_BYTES, 1);
  MPI_Bcast(data, SIZE_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);  // the first one, in which all meet
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < SIZE_BYTES; ++i) data[i] = (char)(rank == 0 ? i * 7 + round : 0);
    char token = 0;
    if (rank != 0) MPI_Recv(&token, 1, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(data, SIZE_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int other = 1; rank == 0 && other < size; ++other) {
      MPI_Send(&token, 1, MPI_CHAR, other, 9, MPI_COMM_WORLD);
    }
    for (int i = 0; i < SIZE_BYTES; ++i) {
      if (data[i] != (char)(i * 7 + round)) {
        fprintf(stderr, "rank %d, round %d: byte %d is wrong\n", rank, round, i);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(data);
  if (rank == 0) printf("%d rounds\n", ROUNDS);
  MPI_Finalize();
  return 0;
}
