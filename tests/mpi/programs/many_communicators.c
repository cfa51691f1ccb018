/* As many communicators as the MPI makes, each used for a broadcast: how many, twice. With the
 * argument "served" also how many of the broadcasts the library served. */
#include "check.h"

enum { kMost = 2500, kBytes = 3000 };
static MPI_Comm comms[kMost];
static unsigned char data[kBytes];

static void broadcast(MPI_Comm comm, int root, unsigned seed) {
  for (size_t i = 0; i < kBytes; ++i) data[i] = rank == root ? test_byte(i, seed) : 0xEE;
  int const error = MPI_Bcast(data, kBytes, MPI_BYTE, root, comm);
  check(error == MPI_SUCCESS, "communicator %u: error %d", seed, error);
  size_t wrong = 0;
  for (size_t i = 0; i < kBytes; ++i) wrong += data[i] != test_byte(i, seed);
  check(wrong == 0, "communicator %u: %zu B wrong", seed, wrong);
}

/* Adds the number of them that were served. */
static int make_and_use(int is_served, int* served) {
  int count = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (count < kMost && MPI_Comm_dup(MPI_COMM_WORLD, &comms[count]) == MPI_SUCCESS) {
    MPI_Comm_set_errhandler(comms[count], MPI_ERRORS_ARE_FATAL);
    broadcast(comms[count], count % size, (unsigned)count);
    if (is_served) *served += strcmp(last_choice(), "native") != 0;
    ++count;
  }
  for (int i = 0; i < count; ++i) broadcast(comms[i], i % size, (unsigned)(i + 1));
  for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  broadcast(MPI_COMM_WORLD, 0, 7);
  if (is_served) check(strcmp(last_choice(), "native") != 0, "the world's was native");
  return count;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const is_served = argc > 1 && strcmp(argv[1], "served") == 0;
  for (int round = 0; round < 2; ++round) {
    int served = 0;
    int const count = make_and_use(is_served, &served);
    if (rank == 0) printf("%d communicators, %d served\n", count, served);
  }
  return finish();
}
