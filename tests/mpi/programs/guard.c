/* Calls of several classes on several communicators, with some ranks late: all results are compared
   with what they must be. Rank 0 prints who served the calls of each class, one letter each: "n"
   native, "c" the choice, "d" to "f" its challengers. Usage: guard CALLS */
#include <unistd.h>

#include "check.h"

enum { kMostCalls = 4096, kElements = 50000, kFewElements = 1000, kMessageBytes = 300000 };

enum { kMostAlgorithms = 8, kLongestId = 64 };

enum { kOfWorld, kOfOther, kShort, kIntegers, kDoubles, kShortLived, kClasses };

static char served[kMostCalls + 1];
static char algorithms[kClasses][kMostAlgorithms][kLongestId]; /* of each class, as they came */

/* Parameters may differ between the sizes of a class. */
static char letter_of(int class, const char* choice) {
  int const length = (int)strcspn(choice, ":");
  if (strcmp(choice, "native") == 0) return 'n';
  for (int i = 0; i < kMostAlgorithms; ++i) {
    char* const known = algorithms[class][i];
    if (known[0] == '\0') snprintf(known, kLongestId, "%.*s", length, choice);
    if ((int)strlen(known) == length && strncmp(known, choice, length) == 0) {
      return (char)('c' + i);
    }
  }
  return '?';
}

static void note(int class, int call) {
  served[call] = letter_of(class, last_choice());
  served[call + 1] = '\0';
}

static void say(const char* what) {
  if (rank == 0) printf("%s: %s\n", what, served);
}

/* Sometimes one rank, by much less than a call that waits for ever. */
static void come_late(int call) {
  if (call % 11 == 3 && call / 11 % size == rank) usleep(3000);
}

static void broadcasts(int class, int most_elements, int calls, MPI_Comm comm, const char* what) {
  int own = 0;
  MPI_Comm_rank(comm, &own);
  int* data = malloc((size_t)most_elements * sizeof *data);
  for (int call = 0; call < calls; ++call) {
    int const root = call % size;
    int const elements = most_elements - call % 7; /* one class, several sizes */
    for (int i = 0; i < elements; ++i) data[i] = own == root ? i * 31 + call : -1;
    come_late(call);
    /* One rank alone may change what decisions do not depend on. */
    if (class == kOfOther && call == 3 && rank == 0) set("watchdog", "100s");
    MPI_Bcast(data, elements, MPI_INT, root, comm);
    note(class, call);
    int right = 1;
    for (int i = 0; i < elements; ++i) right = right && data[i] == i * 31 + call;
    check(right, "%s %d has wrong data", what, call);
  }
  free(data);
  say(what);
}

static void integer_sums(int calls) {
  int* in = malloc(kElements * sizeof *in);
  int* out = malloc(kElements * sizeof *out);
  for (int call = 0; call < calls; ++call) {
    for (int i = 0; i < kElements; ++i) in[i] = i + call * rank;
    come_late(call);
    MPI_Allreduce(in, out, kElements, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    note(kIntegers, call);
    int right = 1;
    for (int i = 0; i < kElements; ++i) {
      right = right && out[i] == size * i + call * (size * (size - 1) / 2);
    }
    check(right, "sum %d is wrong", call);
  }
  free(in);
  free(out);
  say("integer sums");
}

/* Their bits depend on the order of operands, and so on the algorithm: they must not change. */
static void sums_of_doubles(int calls) {
  double* in = malloc(kElements * sizeof *in);
  double* out = malloc(kElements * sizeof *out);
  double* first = malloc(kElements * sizeof *first);
  for (int i = 0; i < kElements; ++i) in[i] = 1.0 / (3 + i * size + rank);
  for (int call = 0; call < calls; ++call) {
    come_late(call);
    MPI_Allreduce(in, out, kElements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    note(kDoubles, call);
    if (call == 0) memcpy(first, out, kElements * sizeof *out);
    check(memcmp(first, out, kElements * sizeof *out) == 0, "sum %d has other bits", call);
  }
  free(in);
  free(out);
  free(first);
  say("sums of doubles");
}

/* Freed while sums of times are under way. */
static void short_lived_communicators(void) {
  for (int number = 0; number < 5; ++number) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    broadcasts(kShortLived, kElements, 7 + number, comm, "short-lived");
    MPI_Comm_free(&comm);
  }
}

/* Long messages of the program's own around the ranks, under way while the network is measured in
   the first broadcast, to which the last rank comes late. */
static void begin_messages(unsigned char* from, unsigned char* to, MPI_Request requests[2]) {
  int const next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (size_t i = 0; i < kMessageBytes; ++i) from[i] = test_byte(i, (unsigned)rank);
  MPI_Irecv(to, kMessageBytes, MPI_BYTE, before, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(from, kMessageBytes, MPI_BYTE, next, 7, MPI_COMM_WORLD, &requests[1]);
  if (rank == size - 1) usleep(50000);
}

static void end_messages(const unsigned char* to, MPI_Request requests[2]) {
  unsigned const before = (unsigned)(rank + size - 1) % (unsigned)size;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  int right = 1;
  for (size_t i = 0; i < kMessageBytes; ++i) right = right && to[i] == test_byte(i, before);
  check(right, "a message that was under way has wrong data");
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const calls = argc > 1 ? atoi(argv[1]) : 100;
  if (calls < 1 || calls > kMostCalls) MPI_Abort(MPI_COMM_WORLD, 2);
  static unsigned char from[kMessageBytes], to[kMessageBytes];
  MPI_Request requests[2];
  MPI_Comm other;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
  begin_messages(from, to, requests);
  broadcasts(kOfWorld, kElements, calls, MPI_COMM_WORLD, "broadcasts");
  end_messages(to, requests);
  broadcasts(kOfOther, kElements, calls, other, "broadcasts on another");
  broadcasts(kShort, kFewElements, calls, MPI_COMM_WORLD, "short broadcasts");
  integer_sums(calls);
  sums_of_doubles(calls);
  short_lived_communicators();
  broadcasts(kOfWorld, kElements, 8, MPI_COMM_WORLD, "the last");
  return finish(); /* other is left behind */
}
