/* Iterations of a solver in which another rank is slow each time: all ranks compute, add up a
 * vector of 1 MiB, and take 256 KiB from rank 0. One of them, in turn, computes a third longer.
 * Prints the time of an iteration.
 *
 *     mpicc -O2 examples/slow_rank.c -o slow_rank
 *     anabranch run -n 16 --native -- ./slow_rank 500
 *     anabranch run -n 16 --set bcast=bcast/baton --set allreduce=allreduce/arrival_groups \
 *         --set reduction_order=any -- ./slow_rank 500
 *
 * Usage: slow_rank [MILLISECONDS [ITERATIONS]]: of computing in an iteration, which is a sleep.
 */
#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { sums = (1 << 20) / sizeof(double), told = 256 << 10 };

static double parts[sums], totals[sums];
static char message[told];

static void compute_for(double seconds) {
  struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks, rank, wrong = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double compute_s = (argc > 1 ? atof(argv[1]) : 100) / 1e3;
  const int iterations = argc > 2 ? atoi(argv[2]) : 20;
  double begin_s = 0;
  for (int step = -1; step < iterations; ++step) { /* the first makes connections */
    if (step == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      begin_s = MPI_Wtime();
    }
    const int is_slow = step >= 0 && step % ranks == rank;
    compute_for(is_slow ? compute_s * 4 / 3 : compute_s);
    for (int i = 0; i < sums; ++i) parts[i] = rank + i;
    MPI_Allreduce(parts, totals, sums, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const double expected = ranks * (ranks - 1) / 2 + (double)ranks * (sums - 1);
    wrong |= totals[sums - 1] != expected;
    if (rank == 0) message[told - 1] = (char)step;
    MPI_Bcast(message, told, MPI_CHAR, 0, MPI_COMM_WORLD);
    wrong |= message[told - 1] != (char)step;
  }
  const double took_s = (MPI_Wtime() - begin_s) / iterations;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf(wrong ? "wrong\n" : "%.1f ms an iteration\n", took_s * 1e3);
  MPI_Finalize();
  return wrong;
}
