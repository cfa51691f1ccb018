/* What the library costs where it does nothing: collectives that end in the native algorithm,
   called as a program calls them, against calls of the MPI's own function, in turn in one process.
   native_overhead.py runs it.

   For each case it prints: name, median of direct calls, median of the program's calls, and median
   and middle 90% of their paired differences; all in nanoseconds per call. Each sample is the mean
   of kCalls calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kCalls = 500, kSamples = 401, kMostBytes = 65536 };

static char data[kMostBytes], result[kMostBytes];
static const int counts[] = {8, 8}, places[] = {0, 8};

/* Calls `function`, which is MPI_NAME or stands for it, with so many bytes of each rank. */
typedef int Caller(void* function, int bytes, MPI_Comm comm);
#define CALLER(name, ...)                                            \
  static int call_##name(void* function, int bytes, MPI_Comm comm) { \
    (void)bytes; /* of functions with a count of each rank */        \
    return ((__typeof__(&MPI_##name))function)(__VA_ARGS__, comm);   \
  }
#define IN data, bytes, MPI_BYTE
#define OUT result, bytes, MPI_BYTE
#define IN_PARTS data, counts, places, MPI_BYTE
#define OUT_PARTS result, counts, places, MPI_BYTE
CALLER(Allgather, IN, OUT)
CALLER(Allgatherv, data, 8, MPI_BYTE, OUT_PARTS)
CALLER(Allreduce, data, OUT, MPI_BOR)
CALLER(Alltoall, IN, OUT)
CALLER(Alltoallv, IN_PARTS, OUT_PARTS)
CALLER(Bcast, IN, 0)
CALLER(Exscan, data, OUT, MPI_BOR)
CALLER(Gather, IN, OUT, 0)
CALLER(Gatherv, data, 8, MPI_BYTE, OUT_PARTS, 0)
CALLER(Reduce, data, OUT, MPI_BOR, 0)
CALLER(Reduce_scatter, data, result, counts, MPI_BYTE, MPI_BOR)
CALLER(Reduce_scatter_block, data, OUT, MPI_BOR)
CALLER(Scan, data, OUT, MPI_BOR)
CALLER(Scatter, IN, OUT, 0)
CALLER(Scatterv, IN_PARTS, result, 8, MPI_BYTE, 0)

struct function {
  const char* name;
  Caller* call;
  void* of_program;
};
#define FUNCTION(name) {#name, call_##name, (void*)MPI_##name}
static const struct function functions[] = {
    FUNCTION(Allgather), FUNCTION(Allgatherv),     FUNCTION(Allreduce),
    FUNCTION(Alltoall),  FUNCTION(Alltoallv),      FUNCTION(Bcast),
    FUNCTION(Exscan),    FUNCTION(Gather),         FUNCTION(Gatherv),
    FUNCTION(Reduce),    FUNCTION(Reduce_scatter), FUNCTION(Reduce_scatter_block),
    FUNCTION(Scan),      FUNCTION(Scatter),        FUNCTION(Scatterv)};

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double sample_ns(Caller* call, void* function, int bytes, MPI_Comm comm) {
  double const start = now_ns();
  for (int i = 0; i < kCalls; ++i) call(function, bytes, comm);
  return (now_ns() - start) / kCalls;
}

static int compare(const void* a, const void* b) {
  double const x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static int find_mpi(struct dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* name = slash != NULL ? slash + 1 : info->dlpi_name;
  if (strncmp(name, "libmpi.so.", 10) == 0 || strncmp(name, "libmpich.so.", 12) == 0) {
    *(void**)found = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
  }
  return 0;
}

static void* mpi; /* its library */

static void measure(const struct function* function, const char* place, int bytes, MPI_Comm comm) {
  static double direct_ns[kSamples], called_ns[kSamples], difference_ns[kSamples];
  char name[64];
  snprintf(name, sizeof name, "PMPI_%s", function->name);
  void* const direct = dlsym(mpi, name);
  if (direct == NULL) {
    fprintf(stderr, "native_overhead: cannot find %s of the MPI itself\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  Caller* const call = function->call;
  for (int warm_up = 0; warm_up < 5; ++warm_up) {
    sample_ns(call, direct, bytes, comm);
    sample_ns(call, function->of_program, bytes, comm);
  }
  for (int i = 0; i < kSamples; ++i) {
    int const direct_first = i % 2;
    if (direct_first) direct_ns[i] = sample_ns(call, direct, bytes, comm);
    called_ns[i] = sample_ns(call, function->of_program, bytes, comm);
    if (!direct_first) direct_ns[i] = sample_ns(call, direct, bytes, comm);
    difference_ns[i] = called_ns[i] - direct_ns[i];
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  qsort(direct_ns, kSamples, sizeof(double), compare);
  qsort(called_ns, kSamples, sizeof(double), compare);
  qsort(difference_ns, kSamples, sizeof(double), compare);
  printf("%s,%s,%dB %.1f %.1f %.1f %.1f\n", function->name, place, bytes, direct_ns[kSamples / 2],
         called_ns[kSamples / 2], difference_ns[kSamples / 2],
         called_ns[kSamples / 10] - direct_ns[kSamples / 10]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  dl_iterate_phdr(find_mpi, &mpi);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm const comm = size == 1 ? MPI_COMM_SELF : MPI_COMM_WORLD;
  const char* place = size == 1 ? "self" : "world";
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    measure(&functions[i], place, 8, comm);
    /* Short broadcasts are left to the MPI at once; for these the decision is looked up. */
    int const is_bcast = functions[i].call == call_Bcast;
    if (is_bcast) measure(&functions[i], place, size == 1 ? 65536 : 4096, comm);
  }
  MPI_Finalize();
  return 0;
}
