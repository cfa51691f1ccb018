/* All collectives for which MPICH reads a selection, short and long; prints "right" if all are. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { longest = 1 << 16 };
static int ranks, rank, wrong;

static void expect(const int* found, int count, long (*value)(int)) {
  for (int i = 0; i < count; ++i) wrong |= found[i] != value(i);
}

static long of_root(int i) { return i; }
static long of_sum(int i) { return (long)ranks * i + ranks * (ranks - 1) / 2; }
static long of_all(int i) { return i; }
static long of_own(int i) { return of_sum(rank * 3 + i); }
static long of_senders(int i) { return 1000L * (i / 3) + rank * 3 + i % 3; }

static void call_all(int count) {
  int* mine = malloc(sizeof(int) * longest);
  int* found = malloc(sizeof(int) * longest);
  for (int i = 0; i < count; ++i) found[i] = rank == 1 % ranks ? i : -1;
  MPI_Bcast(found, count, MPI_INT, 1 % ranks, MPI_COMM_WORLD);
  expect(found, count, of_root);

  for (int i = 0; i < count; ++i) mine[i] = i + rank;
  MPI_Allreduce(mine, found, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(found, count, of_sum);
  MPI_Reduce(mine, found, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) expect(found, count, of_sum);

  int* counts = malloc(sizeof(int) * ranks);
  for (int i = 0; i < ranks; ++i) counts[i] = 3;
  MPI_Reduce_scatter(mine, found, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (count >= 3 * ranks) expect(found, 3, of_own);

  for (int i = 0; i < 3; ++i) mine[i] = rank * 3 + i;
  MPI_Allgather(mine, 3, MPI_INT, found, 3, MPI_INT, MPI_COMM_WORLD);
  expect(found, 3 * ranks, of_all);
  for (int i = 0; i < 3 * ranks; ++i) mine[i] = 1000 * rank + i;
  MPI_Alltoall(mine, 3, MPI_INT, found, 3, MPI_INT, MPI_COMM_WORLD);
  expect(found, 3 * ranks, of_senders);
  MPI_Alltoall(MPI_IN_PLACE, 3, MPI_INT, mine, 3, MPI_INT, MPI_COMM_WORLD);
  expect(mine, 3 * ranks, of_senders);
  free(counts);
  free(found);
  free(mine);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int counts[] = {1, 100, 5000, longest};
  for (int i = 0; i < 4; ++i) call_all(counts[i]);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) puts(wrong ? "wrong" : "right");
  MPI_Finalize();
  return wrong;
}
