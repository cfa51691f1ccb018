/* Broadcasts of more than 2^31 bytes: many elements, one very long element, one that has gaps, and
   (where the MPI has it) the large-count form. */
#include <stdint.h>

#include "check.h"

enum { kOneMiB = 1 << 20 };
static const size_t kWords = (((size_t)1 << 31) + 5 * kOneMiB) / 8 + 3;
static uint64_t* words;

static uint64_t word(size_t i, unsigned seed) { return (i + seed) * 0x9E3779B97F4A7C15u; }

/* `step`: every so many words there is a gap of one, in which the receiver keeps what it had. */
static void fill(int is_root, size_t step, unsigned seed) {
  for (size_t i = 0; i < kWords; ++i) {
    words[i] = is_root || i % step == step - 1 ? word(i, is_root ? seed : seed + 1) : 0;
  }
}

static void check_words(const char* what, int error, int is_root, size_t count, size_t step,
                        unsigned seed) {
  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    int const is_gap = i % step == step - 1;
    wrong += words[i] != word(i, is_gap && !is_root ? seed + 1 : seed);
  }
  check(error == MPI_SUCCESS, "%s: error %d", what, error);
  check(wrong == 0, "%s: %zu words wrong", what, wrong);
  check(strcmp(last_choice(), "native") != 0, "%s: not served", what);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  words = malloc(kWords * 8);
  int const none = (int)kWords + 1; /* no gaps */
  int const is_root = rank == 1;

  set("bcast", "bcast/chain:segment=1MiB");
  fill(is_root, (size_t)none, 1);
#if MPI_VERSION >= 4
  int error = MPI_Bcast_c(words, (MPI_Count)(kWords * 8), MPI_BYTE, 1, MPI_COMM_WORLD);
#else
  int error = MPI_Bcast(words, (int)kWords, MPI_UINT64_T, 1, MPI_COMM_WORLD);
#endif
  check_words("many elements", error, is_root, kWords, (size_t)none, 1);

  /* In one piece: more bytes than an int counts in one message. */
  set("bcast", "bcast/flat");
  MPI_Datatype row, all;
  MPI_Type_contiguous((int)kWords / 2, MPI_UINT64_T, &row);
  MPI_Type_contiguous(2, row, &all);
  MPI_Type_commit(&all);
  fill(is_root, (size_t)none, 2);
  error = MPI_Bcast(words, 1, all, 1, MPI_COMM_WORLD);
  check_words("one element", error, is_root, kWords / 2 * 2, (size_t)none, 2);
  MPI_Type_free(&all);
  MPI_Type_free(&row);

  enum { kStep = 65536 };
  set("bcast", "bcast/scatter_ring_tuned");
  MPI_Type_vector((int)(kWords / kStep), kStep - 1, kStep, MPI_UINT64_T, &all);
  MPI_Type_commit(&all);
  fill(is_root, kStep, 3);
  error = MPI_Bcast(words, 1, all, 1, MPI_COMM_WORLD);
  check_words("one element with gaps", error, is_root, kWords / kStep * kStep, kStep, 3);
  MPI_Type_free(&all);
  free(words);
  return finish();
}
