// Ranks 2 and 3 come to a series of broadcasts only when rank 1 has done some of them.
// Usage: late_ranks SIZE_BYTES BROADCASTS WITHOUT_THEM
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  int const size_bytes = atoi(argv[1]);
  int const broadcasts = atoi(argv[2]);
  int const without_them = atoi(argv[3]);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc((size_t)size_bytes, 1);
  char token = 0;
  MPI_Bcast(data, size_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);  // the first one, in which all meet
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank >= 2) MPI_Recv(&token, 1, MPI_CHAR, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int wrong = 0;
  for (int number = 0; number < broadcasts; ++number) {
    for (int i = 0; i < size_bytes; ++i) data[i] = (char)(rank == 0 ? i * 7 + number : 0);
    MPI_Bcast(data, size_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size_bytes; ++i) wrong += data[i] != (char)(i * 7 + number);
    for (int late = 2; rank == 1 && number + 1 == without_them && late < 4; ++late) {
      MPI_Send(&token, 1, MPI_CHAR, late, 9, MPI_COMM_WORLD);
    }
  }
  free(data);
  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d bytes wrong\n", all_wrong);
  MPI_Finalize();
  return 0;
}
