/* More elements than an int counts, by the large-count form of each function that takes one part or
   parts of several sizes. On two ranks, which have long parts for each other. Arguments: pairs of a
   collective and its algorithm. */
#include <stdint.h>

#include "functions.h"

enum { kWord = 8 };
static const size_t kWords = (((size_t)1 << 31) + 4096) / kWord;
static uint64_t *in, *out;

static uint64_t word(size_t i, int of_rank) {
  return (i + 77 * (size_t)of_rank + 1) * 0x9E3779B97F4A7C15u;
}

/* What is to be in `out`: from a place on, the words of these ranks from a place on, combined. */
static const struct tried {
  const char* function;
  int at_rank; /* where it is to be; 2: at both */
  size_t to, from;
  int is_of_rank_0, is_of_rank_1;
} all[] = {
    {"scatterv", 1, 0, 1, 1, 0},       {"gatherv", 0, 1, 0, 0, 1}, {"allgatherv", 2, 1, 0, 0, 1},
    {"alltoallv", 0, 1, 0, 0, 1},      {"reduce", 0, 0, 0, 1, 1},  {"allreduce", 2, 0, 0, 1, 1},
    {"reduce_scatter", 1, 0, 1, 1, 1}, {"scan", 1, 0, 0, 1, 1},    {"exscan", 1, 0, 0, 1, 0},
};

static struct arguments arguments_of(const char* function) {
  static const int counts[2] = {kWord, kWord}, places[2] = {0, kWord}, none[2] = {0, 0};
  int const has_long_parts = strcmp(function, "alltoallv") == 0;
  int const has_parts =
      function[strlen(function) - 1] == 'v' || strcmp(function, "reduce_scatter") == 0;
  long long const bytes = (long long)(kWords * kWord);
  return (struct arguments){.function = function,
                            .in = in,
                            .out = out,
                            .in_count = has_parts && rank == 0 ? kWord : bytes,
                            .out_count = has_parts && rank == 0 ? kWord : bytes,
                            .in_counts = has_long_parts ? none : counts,
                            .in_places = places,
                            .out_counts = has_long_parts ? none : counts,
                            .out_places = places,
                            .long_part = has_long_parts ? 1 - rank : 1,
                            .long_count = bytes,
                            .in_type = MPI_UINT8_T,
                            .out_type = MPI_UINT8_T,
                            .operation = MPI_BXOR,
                            .comm = MPI_COMM_WORLD};
}

static void check_words(const struct tried* tried) {
  if (tried->at_rank != 2 && tried->at_rank != rank) return;
  size_t wrong = 0;
  for (size_t i = 0; i < kWords; ++i) {
    uint64_t const first = tried->is_of_rank_0 ? word(tried->from + i, 0) : 0;
    uint64_t const second = tried->is_of_rank_1 ? word(tried->from + i, 1) : 0;
    wrong += out[tried->to + i] != (first ^ second);
  }
  check(wrong == 0, "%s: %zu words wrong", tried->function, wrong);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  size_t const bytes = (kWords + 2) * kWord;
  in = malloc(bytes);
  out = malloc(bytes);
  for (size_t i = 0; i < kWords + 2; ++i) in[i] = word(i, rank);
  for (int i = 1; i + 1 < argc; i += 2) set(argv[i], argv[i + 1]);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    memset(out, 0, bytes);
    struct arguments const arguments = arguments_of(all[i].function);
    int const error = perform_large(&arguments);
    check(error == MPI_SUCCESS, "%s: error %d", all[i].function, error);
    check(strcmp(last_choice(), "native") != 0, "%s: not served", all[i].function);
    check_words(&all[i]);
  }
  free(in);
  free(out);
  return finish();
}
