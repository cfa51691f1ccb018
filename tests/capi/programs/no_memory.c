/* A broadcast that needs more memory than there is: an error of the MPI's kind, not the end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { kShorts = 100 << 20 };

static long used_bytes(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld", &pages) != 1) exit(3);
  fclose(file);
  return pages * 4096;
}

static int handled;
static void note(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++handled;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype swapped;
  int const places[2] = {1, 0};
  int rank, error_class = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_create_indexed_block(2, 1, places, MPI_SHORT, &swapped);
  MPI_Type_commit(&swapped);
  short* data = calloc(kShorts, sizeof(short));
  MPI_Bcast(data, 2000, swapped, 0, MPI_COMM_WORLD); /* makes what is made once */
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);

  struct rlimit before, limit;
  getrlimit(RLIMIT_AS, &before);
  limit = before;
  limit.rlim_cur = (rlim_t)used_bytes() + (64 << 20);
  setrlimit(RLIMIT_AS, &limit);
  int const error = MPI_Bcast(data, kShorts / 2, swapped, 0, MPI_COMM_WORLD);
  setrlimit(RLIMIT_AS, &before);
  if (error != MPI_SUCCESS) MPI_Error_class(error, &error_class);
  if (rank == 0) {
    printf("%s, handled %d times\n", error_class == MPI_ERR_NO_MEM ? "no memory" : "other",
           handled);
  }

  data[0] = (short)(rank == 1 ? 42 : 0);
  MPI_Bcast(data, 2000, swapped, 1, MPI_COMM_WORLD);
  if (data[0] != 42) printf("the next one fails\n");
  free(data);
  MPI_Type_free(&swapped);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return 0;
}
