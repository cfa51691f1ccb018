// Ranks 2 and 3 come late to a broadcast on a duplicate of all ranks, which the root leaves before
// and frees. They come when the root has been in MPI_Comm_free for a second.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { size_bytes = 4000, rounds = 3 };

static int wrong_after_broadcast(MPI_Comm comm, int rank, int number) {
  char data[size_bytes];
  int wrong = 0;
  for (int i = 0; i < size_bytes; ++i) data[i] = (char)(rank == 0 ? i * 7 + number : 0);
  MPI_Bcast(data, size_bytes, MPI_BYTE, 0, comm);
  for (int i = 0; i < size_bytes; ++i) wrong += data[i] != (char)(i * 7 + number);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int wrong = 0;
  char token = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    wrong += wrong_after_broadcast(comm, rank, round);  // the first one, in which all meet
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank >= 2) {
      MPI_Recv(&token, 1, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const struct timespec second = {1, 0};
      nanosleep(&second, NULL);
    }
    wrong += wrong_after_broadcast(comm, rank, round + 1);
    for (int late = 2; rank == 0 && late < 4; ++late) {
      MPI_Send(&token, 1, MPI_CHAR, late, 9, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&comm);
  }
  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d bytes wrong\n", all_wrong);
  MPI_Finalize();
  return 0;
}
