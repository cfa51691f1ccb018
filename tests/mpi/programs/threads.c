/* Threads that reduce and broadcast on communicators of their own at once, first calls too. Prints
   "no threads" where the MPI does not provide MPI_THREAD_MULTIPLE. */
#include <pthread.h>

#include "check.h"

enum { kThreads = 4, kRounds = 60, kMostBytes = 20000, kElements = 500 };

typedef struct {
  int number;
  MPI_Comm comm;
  long wrong, not_served, wrong_sums;
} Work;

static pthread_barrier_t all_ready;

/* Of the first call with an operation and a type the library asks the MPI whether they fit. */
static void add_up(Work* work) {
  int in[kElements], sums[kElements];
  for (int i = 0; i < kElements; ++i) in[i] = rank + i * work->number;
  MPI_Allreduce(in, sums, kElements, MPI_INT, MPI_SUM, work->comm);
  work->not_served += size > 1 && strcmp(last_choice(), "native") == 0;
  for (int i = 0; i < kElements; ++i) {
    work->wrong_sums += sums[i] != size * (size - 1) / 2 + size * i * work->number;
  }
}

static void* reduce_and_broadcast(void* argument) {
  Work* work = argument;
  unsigned char* data = malloc(kMostBytes);
  pthread_barrier_wait(&all_ready);
  add_up(work);
  for (int round = 0; round < kRounds; ++round) {
    int const bytes = round % 3 == 0 ? kMostBytes : 100 + 37 * round,
              root = (round + work->number) % size;
    unsigned const seed = (unsigned)(round * kThreads + work->number);
    for (int i = 0; i < bytes; ++i) data[i] = rank == root ? test_byte((size_t)i, seed) : 0xEE;
    MPI_Bcast(data, bytes, MPI_BYTE, root, work->comm);
    work->not_served += size > 1 && strcmp(last_choice(), "native") == 0;
    for (int i = 0; i < bytes; ++i) work->wrong += data[i] != test_byte((size_t)i, seed);
  }
  free(data);
  return NULL;
}

/* The threads of different ranks start in different orders, each with a communicator of its own. */
static void run(int generation) {
  pthread_t threads[kThreads];
  Work work[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    work[i] = (Work){.number = i};
    if (i % 2 == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &work[i].comm);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &work[i].comm);
    }
  }
  pthread_barrier_init(&all_ready, NULL, kThreads);
  for (int i = 0; i < kThreads; ++i) {
    int const which = rank % 2 == 0 ? i : kThreads - 1 - i;
    pthread_create(&threads[which], NULL, reduce_and_broadcast, &work[which]);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&all_ready);
  for (int i = 0; i < kThreads; ++i) {
    check(work[i].wrong == 0, "%ld B wrong in thread %d, time %d", work[i].wrong, i, generation);
    check(work[i].wrong_sums == 0, "%ld sums are wrong", work[i].wrong_sums);
    check(work[i].not_served == 0, "%ld calls not served", work[i].not_served);
    MPI_Comm_free(&work[i].comm);
  }
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("no threads\n");
    MPI_Finalize();
    return 0;
  }
  for (int generation = 0; generation < 3; ++generation) run(generation);
  return finish();
}
