/* A known number of collectives for ANABRANCH_SUMMARY, on MPI_COMM_WORLD, on halves of it and
   between these; those whose sizes only some ranks know, in place too. With the argument "none" no
   collective at all, with "abort" an end by MPI_Abort, with "leave" the last rank ends before
   MPI_Finalize, with "wait" it does not come there. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 100000, ROUNDS = 5, MOST = 8 };
static char data[BYTES * MOST], other[BYTES * MOST];

static void call_on_halves(int rank, int size) {
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Allreduce(data, other, BYTES, MPI_BYTE, MPI_BOR, half);
  if (size > 1) {
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &between);
    int const root = rank == 0 ? MPI_ROOT : rank % 2 == 0 ? MPI_PROC_NULL : 0;
    MPI_Reduce(data, other, 10, MPI_BYTE, MPI_BOR, root, between);
    MPI_Comm_free(&between);
  }
  MPI_Comm_free(&half);
}

static void call_with_own_sizes(int rank, int size) {
  int counts[MOST], places[MOST];
  for (int i = 0; i < size; ++i) {
    counts[i] = 100 * (i + 1);
    places[i] = i * BYTES;
  }
  int const own = counts[rank], last = size - 1;
  MPI_Scatterv(data, rank == last ? counts : NULL, places, MPI_BYTE, other, own, MPI_BYTE, last,
               MPI_COMM_WORLD);
  MPI_Gatherv(rank == last ? MPI_IN_PLACE : data, own, MPI_BYTE, other,
              rank == last ? counts : NULL, places, MPI_BYTE, last, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) counts[i] = 50;
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, other, counts, places, MPI_BYTE,
                MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size;
  char const* const mode = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(mode, "none") != 0) {
    for (int i = 0; i < ROUNDS; ++i) MPI_Bcast(data, BYTES, MPI_BYTE, i % size, MPI_COMM_WORLD);
    call_on_halves(rank, size);
    call_with_own_sizes(rank, size);
  }
  if (strcmp(mode, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(mode, "leave") == 0 && rank == size - 1) _Exit(0);
  if (strcmp(mode, "wait") == 0 && rank == size - 1) {
    MPI_Recv(data, 1, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
