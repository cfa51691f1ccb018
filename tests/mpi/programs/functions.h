/* Every collective function that the library has, called by its name with any arguments. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H
#include "check.h"

enum { kMostRanks = 16 };

/* A broadcast and what combines data has its count and type in the parts for output. */
struct arguments {
  const char* function; /* "scatterv" */
  const void* in;
  void* out;
  long long in_count, out_count;
  const int *in_counts, *in_places, *out_counts, *out_places; /* may be null where not looked at */
  int long_part; /* the one that has this count, where it is not 0, instead of those above */
  long long long_count;
  MPI_Datatype in_type, out_type;
  MPI_Op operation;
  int root;
  MPI_Comm comm;
};

static const char* const function_names[] = {"bcast",
                                             "scatter",
                                             "scatterv",
                                             "gather",
                                             "gatherv",
                                             "allgather",
                                             "allgatherv",
                                             "alltoall",
                                             "alltoallv",
                                             "reduce",
                                             "allreduce",
                                             "reduce_scatter",
                                             "reduce_scatter_block",
                                             "scan",
                                             "exscan"};
enum { kFunctions = sizeof function_names / sizeof *function_names };

#define PERFORM perform_classic
#define COUNT int
#define PLACE int
#define FORM(name) MPI_##name
#include "functions.inc"
#undef PERFORM
#undef COUNT
#undef PLACE
#undef FORM

/* An MPI without the large-count form still has it with the library in front. */
#if MPI_VERSION >= 4
#define FORM(name) MPI_##name##_c
#else
#define IN const void*, MPI_Count, MPI_Datatype
#define OUT void*, MPI_Count, MPI_Datatype
#define IN_PARTS const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype
#define OUT_PARTS void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype
#define COMBINED const void*, void*, MPI_Count, MPI_Datatype, MPI_Op
typedef int large_Bcast(OUT, int, MPI_Comm);
typedef int large_Scatter(IN, OUT, int, MPI_Comm);
typedef int large_Scatterv(IN_PARTS, OUT, int, MPI_Comm);
typedef int large_Gather(IN, OUT, int, MPI_Comm);
typedef int large_Gatherv(IN, OUT_PARTS, int, MPI_Comm);
typedef int large_Allgather(IN, OUT, MPI_Comm);
typedef int large_Allgatherv(IN, OUT_PARTS, MPI_Comm);
typedef int large_Alltoall(IN, OUT, MPI_Comm);
typedef int large_Alltoallv(IN_PARTS, OUT_PARTS, MPI_Comm);
typedef int large_Reduce(COMBINED, int, MPI_Comm);
typedef int large_Allreduce(COMBINED, MPI_Comm);
typedef int large_Reduce_scatter(const void*, void*, const MPI_Count*, MPI_Datatype, MPI_Op,
                                 MPI_Comm);
typedef int large_Reduce_scatter_block(COMBINED, MPI_Comm);
typedef int large_Scan(COMBINED, MPI_Comm);
typedef int large_Exscan(COMBINED, MPI_Comm);
#undef IN
#undef OUT
#undef IN_PARTS
#undef OUT_PARTS
#undef COMBINED
#define FORM(name) ((large_##name*)library_function("MPI_" #name "_c"))
#endif
#define PERFORM perform_large
#define COUNT MPI_Count
#define PLACE MPI_Aint
#include "functions.inc"
#undef PERFORM
#undef COUNT
#undef PLACE
#undef FORM
#endif
