/* C and C++: broadcasts of every kind that the interface has, once each. Each rank says what served
   them, or what was wrong: "classic bcast/chain:segment=8192". */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 50000 };
typedef const char* (*Choice)(void);

static int rank, size;
static unsigned char data[kBytes];
static char report[4096];

static void prepare(int root, int seed) {
  for (int i = 0; i < kBytes; ++i) data[i] = rank == root ? (unsigned char)(7 * i + seed) : 0;
}

static void note(const char* what, int error, int seed) {
  Choice choice = (Choice)dlsym(RTLD_DEFAULT, "anabranch_last_choice");
  const char* found = choice != NULL ? choice() : "absent";
  for (int i = 0; i < kBytes; ++i) {
    if (data[i] != (unsigned char)(7 * i + seed)) found = "wrong data";
  }
  if (error != MPI_SUCCESS) found = "error";
  size_t const used = strlen(report);
  snprintf(report + used, sizeof report - used, "%s %s\n", what, found);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int const root = size - 1;
  prepare(root, 1);
  int error = MPI_Bcast(data, kBytes, MPI_BYTE, root, MPI_COMM_WORLD);
  note("classic", error, 1);
#if MPI_VERSION >= 4
  prepare(root, 2);
  error = MPI_Bcast_c(data, (MPI_Count)kBytes, MPI_BYTE, root, MPI_COMM_WORLD);
  note("large", error, 2);
#endif
  prepare(root, 3);
  error = PMPI_Bcast(data, kBytes, MPI_BYTE, root, MPI_COMM_WORLD);
  note("profiling", error, 3);
  /* Whole reports one after the other, by rank 0. */
  char* reports = (char*)malloc((size_t)size * sizeof report);
  MPI_Gather(report, sizeof report, MPI_CHAR, reports, sizeof report, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i) fputs(reports + (size_t)i * sizeof report, stdout);
  free(reports);
  MPI_Finalize();
  return 0;
}
