/* Scatterv with other algorithms below and above a size that only the root knows. Arguments come in
   fours: BELOW SERVES ABOVE SERVES, what is set on either side and what is to serve; "auto" above
   sets nothing there, and "?" is whatever can. Each four gets batches of random calls, one right
   after the other on several communicators, with some ranks late; all memory is compared with the
   MPI's own results. "wrong" as the first argument: one rank calls with a wrong argument. "late":
   the root comes late, once. */
#include <unistd.h>

#include "calls.h"

enum { kBatches = 4, kCalls = 6, kMargin = 1 << 12, kMostElements = 700, kComms = 3, kText = 200 };

struct one {
  struct call call;
  int comm, is_large;
  long total; /* bytes of all parts */
  size_t bytes;
  unsigned char *in, *out, *wanted;
  char served[kText];
};

static MPI_Comm comms[kComms];
static int world_rank;

static void make_communicators(void) {
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comms[2]);
}

/* Of some calls only one rank gets data, or none. */
static void leave_out(struct call* call, unsigned number) {
  if (number % 5 != 0) return;
  for (int i = 0; i < size; ++i) {
    if (number % 10 == 0 || i != (int)(number / 5) % size) call->counts[i] = 0;
  }
}

static void choose_one(struct one* one, unsigned number) {
  memset(one, 0, sizeof *one);
  one->call.function = "scatterv";
  random_state = (number + 1) * 0x9E3779B97F4A7C15ULL + 1;
  choose(&one->call, kMostElements);
  leave_out(&one->call, number);
  one->call.root = (int)number % size;
  one->comm = (int)(number / 2) % kComms;
  one->call.comm = comms[one->comm];
  one->is_large = number % 4 == 3;
  int type_size;
  MPI_Type_size(one->call.type->type, &type_size);
  size_t elements = 3;
  for (int i = 0; i < size; ++i) {
    one->total += (long)one->call.counts[i] * type_size;
    elements += (size_t)kMostElements / 2 + 3;
  }
  one->bytes = (elements * (size_t)one->call.type->extent + 2 * kMargin) / 16 * 16;
  one->in = malloc(one->bytes);
  one->out = malloc(one->bytes);
  one->wanted = malloc(one->bytes);
}

static void run(struct one* one, unsigned char* out, unsigned number) {
  fill(one->in, one->bytes, one->call.type->fill,
       number * 1000003ULL + (unsigned)world_rank * 7919ULL);
  memset(out, 0xEE, one->bytes);
  rank = one->comm == 2 ? size - 1 - world_rank : world_rank;
  int const error = perform(&one->call, one->in + kMargin, out + kMargin, one->is_large);
  rank = world_rank;
  check(error == MPI_SUCCESS, "error %d from scatterv", error);
}

static void check_one(const struct one* one, long bound, const char* below, const char* above) {
  long const wrong = differences(one->out, one->wanted, one->bytes, one->call.type, 1);
  const char* expected = one->total < bound ? below : above;
  size_t const length = strcspn(one->served, ":");
  int const is_right = strcmp(expected, "?") == 0
                           ? strcmp(one->served, "native") != 0
                           : strlen(expected) == length && !strncmp(expected, one->served, length);
  check(wrong == 0, "%ld differences: %s, %ld bytes, root %d, %s, in place %d", wrong, one->served,
        one->total, one->call.root, one->call.type->name, one->call.in_place);
  check(size == 1 || is_right, "%ld bytes were served by %s instead of %s with %ld as the bound",
        one->total, one->served, expected, bound);
}

static void check_alike(const struct one* calls) {
  enum { kAll = kCalls * kText };
  static unsigned char served[kAll], least[kAll], most[kAll];
  for (int i = 0; i < kCalls; ++i) memcpy(served + i * kText, calls[i].served, kText);
  MPI_Allreduce(served, least, kAll, MPI_UNSIGNED_CHAR, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(served, most, kAll, MPI_UNSIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
  check(memcmp(least, most, kAll) == 0, "not all ranks were served alike");
}

/* The bound is the size of one of the calls, or one above it. */
static void try_batch(unsigned first, char** words, int batch) {
  struct one calls[kCalls];
  for (unsigned i = 0; i < kCalls; ++i) choose_one(&calls[i], first + i);
  long bound = calls[batch % kCalls].total + batch / 2 % 2;
  if (bound == 0) bound = 1;
  set("scatter", "native");
  for (unsigned i = 0; i < kCalls; ++i) run(&calls[i], calls[i].wanted, first + i);
  char selection[kText];
  int const used = snprintf(selection, kText, "0-%ld:%s", bound, words[0]);
  if (strcmp(words[2], "auto") != 0) {
    snprintf(selection + used, (size_t)(kText - used), ",%ld-:%s", bound, words[2]);
  }
  set("scatter", selection);
  for (unsigned i = 0; i < kCalls; ++i) {
    unsigned const chance = mixed((first + i) * 64ULL + (unsigned)world_rank);
    if (chance % 4 == 0) usleep(chance / 4 % 2000);
    run(&calls[i], calls[i].out, first + i);
    snprintf(calls[i].served, kText, "%s", last_choice());
  }
  check_alike(calls);
  for (unsigned i = 0; i < kCalls; ++i) {
    check_one(&calls[i], bound, words[1], words[3]);
    free(calls[i].in);
    free(calls[i].out);
    free(calls[i].wanted);
  }
}

/* The others get their parts, and later calls go on as if nothing had been. */
static void call_wrongly(void) {
  int counts[kMostRanks], places[kMostRanks], parts[kMostRanks];
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i, parts[i] = 100 + i;
  MPI_Comm_set_errhandler(comms[1], MPI_ERRORS_RETURN);
  set("scatter", "0-1KiB:scatter/linear,1KiB-:scatter/binomial");
  for (int number = 0; number < 4; ++number) {
    int const is_wrong = number == 1 && rank == size - 1;
    int got = -1;
    int const error = MPI_Scatterv(parts, counts, places, MPI_INT, &got, is_wrong ? -1 : 1, MPI_INT,
                                   number / 2, comms[1]);
    check((error != MPI_SUCCESS) == is_wrong, "error %d in call %d", error, number);
    check(is_wrong ? got == -1 : got == 100 + rank, "got %d in call %d", got, number);
  }
}

static void come_late(void) {
  int counts[kMostRanks], places[kMostRanks], parts[kMostRanks], got = -1;
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i, parts[i] = 100 + i;
  for (int late = 0; late < 2; ++late) {
    if (late && rank == 0) usleep(1500000);
    MPI_Scatterv(parts, counts, places, MPI_INT, &got, 1, MPI_INT, 0, MPI_COMM_WORLD);
    check(got == 100 + rank, "got %d", got);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  world_rank = rank;
  make_types();
  make_communicators();
  const char* mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "wrong") == 0) call_wrongly();
  if (strcmp(mode, "late") == 0) come_late();
  for (int i = 1; i + 3 < argc; i += 4) {
    for (int batch = 0; batch < kBatches; ++batch) {
      try_batch((unsigned)(i * 100 + batch * kCalls), argv + i, batch);
    }
  }
  return finish();
}
