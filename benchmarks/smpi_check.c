// One collective on simulated ranks: what it takes, in simulated seconds, for each size given.
//
//   smpirun .. smpi_check FUNCTION BYTES..
//
// Prints "BYTES SECONDS", from when all ranks enter it at the same time to when the last leaves.
// BYTES: of the buffer that has a part for each rank, where there is one.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void call(const char* function, void* in, void* out, int bytes, int ranks) {
  const int count = bytes / (int)sizeof(int), part = count / ranks;
  if (strcmp(function, "bcast") == 0) {
    MPI_Bcast(in, count, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (strcmp(function, "allgather") == 0) {
    MPI_Allgather(in, part, MPI_INT, out, part, MPI_INT, MPI_COMM_WORLD);
  } else if (strcmp(function, "alltoall") == 0) {
    MPI_Alltoall(in, part, MPI_INT, out, part, MPI_INT, MPI_COMM_WORLD);
  } else if (strcmp(function, "reduce") == 0) {
    MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  } else if (strcmp(function, "allreduce") == 0) {
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(function, "reduce_scatter") == 0) {
    int* counts = malloc((size_t)ranks * sizeof(int));
    for (int i = 0; i < ranks; ++i) counts[i] = part;
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(counts);
  } else {
    fprintf(stderr, "smpi_check: no function '%s'\n", function);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

// Simulated time is the same on all ranks.
static void wait_until(double time_s) {
  const double left_s = time_s - MPI_Wtime();
  const struct timespec left = {(time_t)left_s, (long)((left_s - (double)(time_t)left_s) * 1e9)};
  nanosleep(&left, NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 2; i < argc; ++i) {
    const int bytes = atoi(argv[i]);
    void* in = calloc(1, (size_t)bytes);
    void* out = calloc(1, (size_t)bytes);
    double took_s = 0;
    for (int turn = 0; turn < 2; ++turn) {  // in the first one some algorithms make communicators
      const double now_s = MPI_Wtime();
      double begin_s;
      MPI_Allreduce(&now_s, &begin_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      begin_s += 1;
      wait_until(begin_s);
      call(argv[1], in, out, bytes, ranks);
      const double own_s = MPI_Wtime() - begin_s;
      MPI_Reduce(&own_s, &took_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d %.12g\n", bytes, took_s);
    free(in);
    free(out);
  }
  MPI_Finalize();
  return 0;
}
