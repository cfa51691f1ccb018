/* Scatterv and gatherv of very unequal parts, whose sizes only the root and their owners know.
   Arguments come in threes: COLLECTIVE SELECTION EXPECTED, what is set and what is to serve.
   "scatter/linear|scatter/binomial" serve calls of less than 1 KiB in all, and the others.
   "inter" as the first one tries the same over an inter-communicator, which is the MPI's. */
#include "check.h"

enum { kMostRanks = 16, kLarge = 3 << 20, kBound = 1 << 10 };
enum { kNothing, kRootOnly, kLastOnly, kPowers, kEverySecond, kOneEach, kFalling, kPatterns };

static int counts[kMostRanks], places[kMostRanks];

/* What a rank may pass where its argument means nothing: whoever reads it dies. */
static int* const meaningless = (int*)sizeof(int);

static int count_of(int pattern, int part, int parts, int root) {
  switch (pattern) {
    case kRootOnly:
      return part == root ? kLarge : 0;
    case kLastOnly:
      return part == parts - 1 ? kLarge : 0;
    case kPowers:
      return 1 << (2 * part % 20);
    case kEverySecond:
      return part % 2 == 1 ? 1000 : 0;
    case kOneEach:
      return 1;
    case kFalling:
      return kLarge / 8 / (part + 1);
    default:
      return 0;
  }
}

/* Returns the bytes that all parts take: the last one first, with gaps. */
static size_t lay_out(int pattern, int parts, int root) {
  int next = 1;
  for (int part = parts - 1; part >= 0; --part) {
    counts[part] = count_of(pattern, part, parts, root);
    places[part] = next;
    next += counts[part] + 1;
  }
  return (size_t)next;
}

static void fill_part(unsigned char* memory, int count, int part) {
  for (int i = 0; i < count; ++i) memory[i] = test_byte((size_t)i, (unsigned)part * 31 + 7);
}

static long wrong_in(const unsigned char* memory, int count, int part) {
  long wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong += memory[i] != test_byte((size_t)i, (unsigned)part * 31 + 7);
  }
  return wrong;
}

/* `root` as in the call: a rank, or MPI_ROOT or MPI_PROC_NULL; `at` is the root of the pattern. */
static void try(MPI_Comm comm, int is_scatter, int pattern, int parts, int root, int at,
                int holds_all, int own, const char* expected) {
  size_t const bytes = lay_out(pattern, parts, at);
  unsigned char* all = holds_all ? malloc(bytes) : NULL;
  int const count = own < 0 ? 0 : count_of(pattern, own, parts, at);
  unsigned char* part = malloc((size_t)count + 1);
  memset(part, 0xEE, (size_t)count + 1);
  if (holds_all) memset(all, 0xEE, bytes);
  long wrong = 0;
  if (is_scatter) {
    for (int i = 0; holds_all && i < parts; ++i) fill_part(all + places[i], counts[i], i);
    MPI_Scatterv(all, holds_all ? counts : meaningless, holds_all ? places : meaningless, MPI_BYTE,
                 part, count, MPI_BYTE, root, comm);
    if (own >= 0) wrong = wrong_in(part, count, own) + (part[count] != 0xEE);
  } else {
    if (own >= 0) fill_part(part, count, own);
    MPI_Gatherv(part, count, MPI_BYTE, all, holds_all ? counts : meaningless,
                holds_all ? places : meaningless, MPI_BYTE, root, comm);
    for (int i = 0; holds_all && i < parts; ++i) {
      wrong += wrong_in(all + places[i], counts[i], i) + (all[places[i] - 1] != 0xEE);
    }
  }
  check(wrong == 0, "%ld bytes wrong: %s, pattern %d, root %d", wrong,
        is_scatter ? "scatterv" : "gatherv", pattern, root);
  long total = 0;
  for (int i = 0; i < parts; ++i) total += counts[i];
  const char* above = strchr(expected, '|');
  char serves[64] = "";
  snprintf(serves, sizeof serves, "%.*s", (int)strcspn(expected, "|"), expected);
  if (above != NULL && total >= kBound) snprintf(serves, sizeof serves, "%s", above + 1);
  check(was_served_by(serves), "%s of pattern %d was served by %s instead of %s",
        is_scatter ? "scatterv" : "gatherv", pattern, last_choice(), serves);
  free(all);
  free(part);
}

static void try_all(const char* collective, const char* selection, const char* expected) {
  set(collective, selection);
  int const roots[3] = {0, size / 2, size - 1};
  for (int i = 0; i < 3; ++i) {
    for (int pattern = 0; pattern < kPatterns; ++pattern) {
      try(MPI_COMM_WORLD, strcmp(collective, "scatter") == 0, pattern, size, roots[i], roots[i],
          rank == roots[i], rank, expected);
    }
  }
  set(collective, "auto");
}

/* The root is the first rank of the lower half, the parts are those of the upper half. */
static void inter(void) {
  int const low = rank < size / 2;
  MPI_Comm local, both;
  MPI_Comm_split(MPI_COMM_WORLD, low, 0, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? size / 2 : 0, 5, &both);
  int const parts = size - size / 2;
  int const root = !low ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  for (int is_scatter = 0; is_scatter < 2; ++is_scatter) {
    for (int pattern = 0; pattern < kPatterns; ++pattern) {
      try(both, is_scatter, pattern, parts, root, 0, rank == 0, low ? -1 : rank - size / 2,
          "native");
    }
  }
  MPI_Comm_free(&both);
  MPI_Comm_free(&local);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const is_inter = argc > 1 && strcmp(argv[1], "inter") == 0;
  if (is_inter) {
    set("scatter", "scatter/binomial");
    set("gather", "gather/binomial");
    inter();
  }
  for (int i = 1 + is_inter; i + 2 < argc; i += 3) try_all(argv[i], argv[i + 1], argv[i + 2]);
  return finish();
}
