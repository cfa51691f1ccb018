/* Sums to which rank 1 comes late, all of which are compared with what they must be. Then some on
   communicators that live for 1 to 4 of them, the last of which is left behind.
   Usage: sorted_ranks CALLS */
#include <unistd.h>

#include "check.h"

enum { kElements = 2000 };

static void sum_integers(MPI_Comm comm) {
  static int in[kElements], out[kElements];
  for (int i = 0; i < kElements; ++i) in[i] = i * (rank + 1);
  MPI_Allreduce(in, out, kElements, MPI_INT, MPI_SUM, comm);
  int right = 1;
  for (int i = 0; i < kElements; ++i) right = right && out[i] == i * (size * (size + 1) / 2);
  check(right, "a sum of integers is wrong");
}

/* The bits are the same in each call. */
static void sum_doubles(int call) {
  static double in[kElements], out[kElements], first[kElements];
  for (int i = 0; i < kElements; ++i) in[i] = 1.0 / (3 + i + rank * 7);
  MPI_Allreduce(in, out, kElements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (call == 0) memcpy(first, out, sizeof first);
  check(memcmp(first, out, sizeof first) == 0, "sum %d of doubles has other bits", call);
}

/* The late rank looks after its messages meanwhile, or others would still be in the barrier. */
static void come_late(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; rank == 1 && i < 100; ++i) {
    int is_there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    usleep(2000);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const calls = argc > 1 ? atoi(argv[1]) : 6;
  for (int call = 0; call < calls; ++call) {
    come_late();
    sum_integers(MPI_COMM_WORLD);
    sum_doubles(call);
  }
  for (int number = 1; number <= 4; ++number) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < number; ++call) sum_integers(comm);
    if (number < 4) MPI_Comm_free(&comm);
  }
  return finish();
}
