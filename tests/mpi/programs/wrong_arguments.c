/* Wrong arguments of every function: whatever the MPI does by itself it must do with the library in
   front of it. All ranks make the same mistake, each on a communicator of its own. Each rank writes
   what happened to the file ARGUMENT.RANK; the test compares with a run without the library. A
   second argument names the functions to call, where those are not all. */
#include <setjmp.h>
#include <signal.h>

#include "error_handler.h"
#include "functions.h"

enum { kCount = 40, kBytes = 1 << 16 };
static char in[kBytes], out[kBytes];
static int counts[kMostRanks], places[kMostRanks];
static MPI_Datatype uncommitted, gapped;

/* Some mistakes crash some MPIs: then the library need not do better. */
static sigjmp_buf before_crash;
static void leave(int signal) {
  (void)signal;
  siglongjmp(before_crash, 1);
}

static void set_counts(struct arguments* a, int count) {
  a->in_count = a->out_count = count;
  for (int i = 0; i < size; ++i) counts[i] = count;
}
static void set_types(struct arguments* a, MPI_Datatype type) { a->in_type = a->out_type = type; }

static void negative_counts(struct arguments* a) { set_counts(a, -1); }
static void negative_last_count(struct arguments* a) { counts[size - 1] = -1, (void)a; }
static void root_behind_last(struct arguments* a) { a->root = size; }
static void negative_root(struct arguments* a) { a->root = -7; }
static void root_of_inter(struct arguments* a) { a->root = MPI_ROOT; }
static void any_root(struct arguments* a) { a->root = MPI_ANY_SOURCE; }
static void nothing_from_no_root(struct arguments* a) { set_counts(a, 0), a->root = size; }
static void null_types(struct arguments* a) { set_types(a, MPI_DATATYPE_NULL); }
static void null_input_type(struct arguments* a) { a->in_type = MPI_DATATYPE_NULL; }
static void null_output_type(struct arguments* a) { a->out_type = MPI_DATATYPE_NULL; }
static void uncommitted_types(struct arguments* a) { set_types(a, uncommitted); }
static void null_operation(struct arguments* a) { a->operation = MPI_OP_NULL; }
static void bits_of_floats(struct arguments* a) {
  set_types(a, MPI_FLOAT);
  a->operation = MPI_BAND;
}
static void sum_of_derived(struct arguments* a) { set_types(a, gapped); }
static void input_in_place(struct arguments* a) { a->in = MPI_IN_PLACE; }
static void output_in_place(struct arguments* a) { a->out = MPI_IN_PLACE; }
static void both_in_place(struct arguments* a) { a->in = a->out = MPI_IN_PLACE; }
static void aliased(struct arguments* a) { a->in = a->out; }
static void own_part(struct arguments* a) { a->in = out + sizeof(int) * (size_t)(rank * kCount); }
static void null_input(struct arguments* a) { a->in = NULL; }
static void null_output(struct arguments* a) { a->out = NULL; }
static void null_communicator(struct arguments* a) { a->comm = MPI_COMM_NULL; }
static void nothing(struct arguments* a) { (void)a; }

/* Not for these: where one rank does not notice and waits for another that does, and where the MPI
   by itself notices nothing and spoils its memory. */
#ifdef OPEN_MPI
#define NOT_FOR(all, mpich, openmpi) all " " openmpi
#else
#define NOT_FOR(all, mpich, openmpi) all " " mpich
#endif
#define COMBINING "reduce allreduce reduce_scatter reduce_scatter_block scan exscan"
#define SCATTERING "scatter scatterv"
#define EVERY \
  COMBINING " bcast scatter scatterv gather gatherv allgather allgatherv alltoall alltoallv"

static const struct mistake {
  const char* name;
  void (*make)(struct arguments*);
  const char* not_for;
} mistakes[] = {
    {"none", nothing, ""},
    {"negative counts", negative_counts, NOT_FOR("", COMBINING, "")},
    {"negative last count", negative_last_count, NOT_FOR("scatterv", "reduce_scatter", "")},
    {"root behind the last", root_behind_last, ""},
    {"negative root", negative_root, ""},
    {"MPI_ROOT", root_of_inter, ""},
    {"MPI_ANY_SOURCE", any_root, ""},
    {"nothing from a root behind the last", nothing_from_no_root, ""},
    {"no types", null_types, NOT_FOR("", COMBINING, "")},
    {"no type of input", null_input_type, SCATTERING},
    {"no type of output", null_output_type, NOT_FOR("", COMBINING, "")},
    {"uncommitted types", uncommitted_types, ""},
    {"no operation", null_operation, ""},
    {"bits of floats", bits_of_floats, ""},
    {"sum of a derived type", sum_of_derived, ""},
    {"input in place", input_in_place, "gather gatherv reduce scatter scatterv bcast"},
    {"output in place", output_in_place, NOT_FOR("", "bcast " SCATTERING, "exscan")},
    {"both in place", both_in_place, NOT_FOR(SCATTERING, "bcast", "exscan")},
    {"aliased", aliased, "scatter scatterv gather gatherv allgather allgatherv alltoallv"},
    {"input where the own part of the output is", own_part,
     COMBINING " bcast alltoall alltoallv gather gatherv " SCATTERING},
    {"no input", null_input, NOT_FOR(SCATTERING, "", EVERY)},
    {"no output", null_output, NOT_FOR("", "", EVERY)},
    {"no communicator", null_communicator, ""},
};
enum { kMistakes = sizeof mistakes / sizeof *mistakes };

static int is_word_of(const char* word, const char* words) {
  size_t const length = strlen(word);
  for (const char* at = strstr(words, word); at != NULL; at = strstr(at + 1, word)) {
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return 1;
  }
  return 0;
}

static struct arguments right_arguments(const char* function, MPI_Comm comm) {
  struct arguments a = {.function = function,
                        .in = in,
                        .out = out,
                        .in_counts = counts,
                        .in_places = places,
                        .out_counts = counts,
                        .out_places = places,
                        .operation = MPI_SUM,
                        .comm = comm};
  set_types(&a, MPI_INT);
  set_counts(&a, kCount);
  for (int i = 0; i < size; ++i) places[i] = i * kCount;
  return a;
}

static void make(const struct mistake* mistake, const char* function, int is_large,
                 MPI_Errhandler handler, FILE* report) {
  int (*const perform)(const struct arguments*) = is_large ? perform_large : perform_classic;
  MPI_Comm comm; /* not freed: what one rank has sent may never be received */
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  struct arguments a = right_arguments(function, comm);
  int const before = class_of(perform(&a));
  handled = handled_class = 0;
  mistake->make(&a);
  fprintf(report, "%s%s, %s: ", function, is_large ? "_c" : "", mistake->name);
  fflush(report);
  if (sigsetjmp(before_crash, 1) == 0) {
    int const error = class_of(perform(&a));
    fprintf(report, "%d, handled %d times, class %d", error, handled, handled_class);
  } else {
    fprintf(report, "crashes");
    handled = 0;
  }
  int noticed = handled > 0, by_all;
  MPI_Allreduce(&noticed, &by_all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  a = right_arguments(function, comm);
  int const after = by_all ? class_of(perform(&a)) : MPI_SUCCESS;
  fprintf(report, "; right ones: %d, %d\n", before, after);
  fflush(report);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", argv[1], rank);
  FILE* report = fopen(name, "w");
  MPI_Type_vector(10, 1, 2, MPI_INT, &uncommitted);
  MPI_Type_vector(2, 1, 2, MPI_INT, &gapped);
  MPI_Type_commit(&gapped);
  signal(SIGSEGV, leave);
  signal(SIGFPE, leave);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* for MPI_COMM_NULL */
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int const forms = MPI_VERSION >= 4 ? 2 : 1;
  const char* chosen = argc > 2 ? argv[2] : NULL;
  for (int i = 0; i < kMistakes; ++i) {
    for (int k = 0; k < kFunctions * forms; ++k) {
      const char* function = function_names[k / forms];
      if (is_word_of(function, mistakes[i].not_for)) continue;
      if (chosen != NULL && !is_word_of(function, chosen)) continue;
      make(&mistakes[i], function, k % forms, handler, report);
    }
  }
  fclose(report);
  MPI_Type_free(&gapped);
  MPI_Type_free(&uncommitted);
  MPI_Finalize();
  return 0;
}
