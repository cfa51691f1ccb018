/* What the library costs where it does nothing: broadcasts that end in the native algorithm, called
   as a program calls them, against calls of the MPI's own function, in turn in one process.
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
typedef int (*Bcast)(void*, int, MPI_Datatype, int, MPI_Comm);

static char data[kMostBytes];

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double sample_ns(Bcast function, int bytes, MPI_Comm comm) {
  double const start = now_ns();
  for (int i = 0; i < kCalls; ++i) function(data, bytes, MPI_BYTE, 0, comm);
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

static void measure(const char* name, Bcast direct, int bytes, MPI_Comm comm) {
  static double direct_ns[kSamples], called_ns[kSamples], difference_ns[kSamples];
  for (int warm_up = 0; warm_up < 5; ++warm_up) {
    sample_ns(direct, bytes, comm);
    sample_ns(MPI_Bcast, bytes, comm);
  }
  for (int i = 0; i < kSamples; ++i) {
    int const direct_first = i % 2;
    if (direct_first) direct_ns[i] = sample_ns(direct, bytes, comm);
    called_ns[i] = sample_ns(MPI_Bcast, bytes, comm);
    if (!direct_first) direct_ns[i] = sample_ns(direct, bytes, comm);
    difference_ns[i] = called_ns[i] - direct_ns[i];
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  qsort(direct_ns, kSamples, sizeof(double), compare);
  qsort(called_ns, kSamples, sizeof(double), compare);
  qsort(difference_ns, kSamples, sizeof(double), compare);
  printf("%s %.1f %.1f %.1f %.1f\n", name, direct_ns[kSamples / 2], called_ns[kSamples / 2],
         difference_ns[kSamples / 2], called_ns[kSamples / 10] - direct_ns[kSamples / 10]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* mpi = NULL;
  dl_iterate_phdr(find_mpi, &mpi);
  Bcast const direct = mpi != NULL ? (Bcast)dlsym(mpi, "PMPI_Bcast") : NULL;
  if (direct == NULL) {
    fprintf(stderr, "native_overhead: cannot find the MPI's own MPI_Bcast\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1) {
    measure("self,8B", direct, 8, MPI_COMM_SELF);
    measure("self,64KiB", direct, 65536, MPI_COMM_SELF);
  } else {
    measure("world,8B", direct, 8, MPI_COMM_WORLD);
    measure("world,4KiB", direct, 4096, MPI_COMM_WORLD); /* the decision is looked up */
  }
  MPI_Finalize();
  return 0;
}
