/* Long broadcasts and integer sums in three phases: all ranks come together, then one is late in
   each call, then they come together again. All results are compared with what they must be. Rank 0
   prints who served the calls, one letter each: "n" native, "p" a protocol that does not wait for
   the late, "s" a schedule. Usage: balance CALLS_OF_A_PHASE */
#include <unistd.h>

#include "check.h"

enum { kMostCalls = 4096, kElements = 1 << 18, kPhases = 3, kLateMicroseconds = 60000 };

static char served[kMostCalls + 1];
static int data[kElements], sums[kElements];

static void note(int call) {
  const char* choice = last_choice();
  int const is_protocol = strstr(choice, "baton") != NULL || strstr(choice, "arrival") != NULL;
  served[call] = strcmp(choice, "native") == 0 ? 'n' : is_protocol ? 'p' : 's';
  served[call + 1] = '\0';
}

/* In the second phase one rank is late: another one each time, and at times the root. */
static void arrive(int phase, int call) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (phase == 1 && (call + 1) % size == rank) usleep(kLateMicroseconds);
}

static void broadcast(int call) {
  int const root = call % 3 == 0 ? 0 : (call / 3) % size;
  for (int i = 0; i < kElements; ++i) data[i] = rank == root ? i * 31 + call : -1;
  MPI_Bcast(data, kElements, MPI_INT, root, MPI_COMM_WORLD);
  int right = 1;
  for (int i = 0; i < kElements; ++i) right = right && data[i] == i * 31 + call;
  check(right, "broadcast %d has wrong data", call);
}

static void add_up(int call) {
  for (int i = 0; i < kElements; ++i) data[i] = i + call * rank;
  MPI_Allreduce(data, sums, kElements, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int right = 1;
  for (int i = 0; i < kElements; ++i) {
    right = right && sums[i] == size * i + call * (size * (size - 1) / 2);
  }
  check(right, "sum %d is wrong", call);
}

static void run(const char* what, void (*make_call)(int), int calls) {
  for (int call = 0; call < kPhases * calls; ++call) {
    arrive(call / calls, call);
    make_call(call);
    note(call);
  }
  if (rank == 0) printf("%s: %s\n", what, served);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const calls = argc > 1 ? atoi(argv[1]) : 20;
  if (calls < 1 || calls > kMostCalls / kPhases) MPI_Abort(MPI_COMM_WORLD, 2);
  run("broadcasts", broadcast, calls);
  run("sums", add_up, calls);
  return finish();
}
