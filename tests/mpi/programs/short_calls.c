/* Many short sums of integers and of floating-point numbers, in turn: all results are compared with
   what they must be, and the bits of the latter with those of the first call. Then the same on a
   communicator on which a long call came first. Rank 0 prints who served the calls of each kind,
   one letter each: "n" native, "c" the choice. Usage: short_calls CALLS */
#include "check.h"

enum { kMostCalls = 4096, kElements = 128, kLong = 50000 };

static char integers[kMostCalls + 1], doubles[kMostCalls + 1];

static char who(void) { return strcmp(last_choice(), "native") == 0 ? 'n' : 'c'; }

static void sum_integers(int call, MPI_Comm comm) {
  int in[kElements], out[kElements];
  for (int i = 0; i < kElements; ++i) in[i] = i + call * rank;
  MPI_Reduce(in, out, kElements, MPI_INT, MPI_SUM, call % size, comm);
  integers[call] = who();
  check(in[1] == 1 + call * rank, "sum %d changed what was sent", call);
  if (rank != call % size) return;
  int right = 1;
  for (int i = 0; i < kElements; ++i) {
    right = right && out[i] == size * i + call * (size * (size - 1) / 2);
  }
  check(right, "sum %d is wrong", call);
}

static void sum_doubles(int call, MPI_Comm comm, double* first) {
  double in[kElements], out[kElements];
  for (int i = 0; i < kElements; ++i) in[i] = 1.0 / (3 + i * size + rank);
  MPI_Reduce(in, out, kElements, MPI_DOUBLE, MPI_SUM, 0, comm);
  doubles[call] = who();
  check(in[0] == 1.0 / (3 + rank), "sum %d changed what was sent", call);
  if (rank != 0) return;
  if (call == 0) memcpy(first, out, sizeof out);
  check(memcmp(first, out, sizeof out) == 0, "sum %d has other bits", call);
}

static void sums(int calls, MPI_Comm comm, const char* where) {
  double first[kElements];
  for (int call = 0; call < calls; ++call) {
    sum_integers(call, comm);
    sum_doubles(call, comm, first);
  }
  integers[calls] = doubles[calls] = '\0';
  if (rank == 0) printf("integers %s: %s\ndoubles %s: %s\n", where, integers, where, doubles);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const calls = argc > 1 ? atoi(argv[1]) : 300;
  if (calls < 1 || calls > kMostCalls) return 2;
  sums(calls, MPI_COMM_WORLD, "alone");
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  char* data = calloc(kLong, 1);
  MPI_Bcast(data, kLong, MPI_CHAR, 0, other);
  free(data);
  sums(10, other, "after a long call");
  MPI_Comm_free(&other);
  return finish();
}
