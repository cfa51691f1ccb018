/* Follows a script of lines `try FUNCTION ALGORITHM CASES [LIMITS..]`: makes so many random calls
   of the function, once served by the MPI and once by the algorithm, and compares all memory.
   Limits are what the algorithm does not serve: `commutative` (other operations), `equal` (parts of
   several sizes), `everywhere` (sizes that only some ranks know). `corrupt` spoils the next
   results, to test the test. */
#include <unistd.h>

#include "calls.h"

enum { kMemory = 3 << 20, kMargin = 1 << 12, kLine = 4096, kMostElements = 700 };

static unsigned char *in, *out, *first_in, *first_out, *second_out;
static int corrupt;
static long cases;

static size_t elements(const struct call* call) {
  size_t total = (size_t)call->count * (size_t)size;
  size_t sent = 0, received = 0;
  for (int i = 0; i < size; ++i) {
    sent += (size_t)call->counts[i] + 3;
    received += (size_t)call->out_counts[i] + 3;
  }
  total = total > sent ? total : sent;
  return (total > received ? total : received) + 3;
}

static size_t bytes_used(const struct call* call) {
  size_t const bytes = elements(call) * (size_t)call->type->extent + 2 * kMargin;
  if (bytes > kMemory) MPI_Abort(MPI_COMM_WORLD, 4);
  return bytes / 16 * 16;
}

/* Runs the call with fresh memory; in one case of four it is the large-count form. */
static void run(const struct call* call, size_t bytes, uint64_t seed) {
  int const is_input = call->in_place || (is(call, "bcast") && rank == call->root);
  fill(in, bytes, call->type->fill, seed * 1000003 + (uint64_t)rank * 7919);
  memset(out, 0xEE, bytes);
  if (is_input) fill(out, bytes, call->type->fill, seed * 999983 + (uint64_t)rank * 104729);
  int const is_large = mixed(seed) % 4 == 0;
  int const error = perform(call, in + kMargin, out + kMargin, is_large);
  check(error == MPI_SUCCESS, "error %d from %s", error, call->function);
}

static int all_equal(const int* counts) {
  for (int i = 1; i < size; ++i) {
    if (counts[i] != counts[0]) return 0;
  }
  return 1;
}

static int has_unequal_parts(const struct call* call) {
  return ends_in_v(call) || is(call, "reduce_scatter");
}

/* Whether sizes are known to the ranks whose parts have them only. */
static int has_own_sizes(const struct call* call) {
  return ends_in_v(call) && !is(call, "allgatherv");
}

/* Whether the call is not left to the MPI. */
static int is_served(const struct call* call) {
  if (size == 1) return 0;
  if (has_own_sizes(call)) return 1;
  long total = call->count;
  for (int i = 0; has_unequal_parts(call) && i < size; ++i) {
    total = i == 0 ? call->counts[i] : total + call->counts[i];
  }
  return total > 0;
}

/* Whether the algorithm is to serve a call that is served. */
static int is_expected(const struct call* call, const char* limits) {
  if (has_own_sizes(call)) return strstr(limits, "everywhere") == NULL;
  if (strstr(limits, "equal") != NULL && has_unequal_parts(call) && !all_equal(call->counts)) {
    return 0;
  }
  return strstr(limits, "commutative") == NULL || call->operation == NULL ||
         call->operation->is_commutative;
}

static void compare_ranks(const struct call* call, const char* algorithm) {
  uint64_t hash = 0xcbf29ce484222325;
  size_t const bytes = (size_t)call->count * (size_t)call->type->extent;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ out[kMargin + i]) * 0x100000001b3;
  uint64_t first = hash;
  MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  check(hash == first, "%s of %s gives other bits than on rank 0", algorithm, call->type->name);
}

static void try_once(const char* collective, const char* algorithm, struct call* call,
                     const char* limits, uint64_t seed) {
  random_state = seed * 0x9E3779B97F4A7C15ULL + 1;
  choose(call, kMostElements);
  size_t const bytes = bytes_used(call);
  set(collective, "native");
  run(call, bytes, seed);
  memcpy(first_in, in, bytes);
  memcpy(first_out, out, bytes);
  set(collective, algorithm);
  run(call, bytes, seed);
  ++cases;
  if (is_served(call)) {
    int const wanted = is_expected(call, limits);
    check(wanted ? was_served_by(algorithm) : !was_served_by("native"),
          "%s was served by %s instead of %s", call->function, last_choice(),
          wanted ? algorithm : "another that can");
  }
  if (corrupt && rank == size - 1) out[kMargin] ^= 1;
  if (is(call, "exscan") && rank == 0) return;
  const char* operation = call->operation != NULL ? call->operation->name : "move";
  int const is_sum = call->operation == &operations[kSum];
  size_t first = 0, compared = bytes;
  if (strncmp(call->function, "reduce_s", 8) == 0 && call->in_place) {
    /* What is behind the result was input, and may be anything afterwards. */
    int const count = is(call, "reduce_scatter") ? call->counts[rank] : call->count;
    first = kMargin;
    compared = (size_t)count * (size_t)call->type->extent;
  }
  long const wrong = differences(out + first, first_out + first, compared, call->type, !is_sum) +
                     (memcmp(in, first_in, bytes) != 0);
  check(wrong == 0, "%ld differences: %s by %s, %s, %s, count %d, root %d, in place %d, case %llu",
        wrong, call->function, algorithm, call->type->name, operation, call->count, call->root,
        call->in_place, (unsigned long long)seed);
}

/* Floating-point sums: the same bits on all ranks, and whoever comes late, unless operands are
 * combined in the order of arrivals. */
static void try_again(struct call* call, const char* algorithm, const char* limits, uint64_t seed) {
  if (call->operation != &operations[kSum]) return;
  if (call->type->fill != kDoubles && call->type->fill != kFloats) return;
  size_t const bytes = bytes_used(call);
  memcpy(second_out, out, bytes);
  usleep(mixed(seed + (uint64_t)rank) % 300);
  run(call, bytes, seed);
  int const may_differ = is(call, "exscan") || strstr(limits, "by_arrival") != NULL;
  check(may_differ || memcmp(out, second_out, bytes) == 0, "%s gives other bits the second time",
        algorithm);
  if (is(call, "allreduce")) compare_ranks(call, algorithm);
}

static void follow(char* line) {
  char* word = strtok(line, " \n");
  if (word != NULL && strcmp(word, "corrupt") == 0) corrupt = 1;
  if (word == NULL || strcmp(word, "try") != 0) return;
  struct call call = {.function = strtok(NULL, " \n"), .comm = MPI_COMM_WORLD};
  char* algorithm = strtok(NULL, " \n");
  long const count = atol(strtok(NULL, " \n"));
  const char* limits = strtok(NULL, "\n");
  if (limits == NULL) limits = "";
  char collective[64] = "";
  strncat(collective, algorithm, strcspn(algorithm, "/"));
  for (long i = 0; i < count; ++i) {
    uint64_t const seed = (uint64_t)(i + 1) * 7 + mixed((uint64_t)cases);
    try_once(collective, algorithm, &call, limits, seed);
    try_again(&call, algorithm, limits, seed);
  }
  set(collective, "auto");
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  make_types();
  unsigned char** const memories[] = {&in, &out, &first_in, &first_out, &second_out};
  for (int i = 0; i < 5; ++i) *memories[i] = malloc(kMemory);
  FILE* script = fopen(argv[1], "r");
  char line[kLine];
  while (fgets(line, sizeof line, script) != NULL) follow(line);
  fclose(script);
  if (rank == 0) printf("%ld cases\n", cases);
  return finish();
}
