/* Wrong arguments: whatever the MPI does by itself it must do with the library in front of it. All
   ranks make the same mistake. The program prints what happened; the test compares with a run
   without the library. With a number as its argument it makes that mistake alone, under
   MPI_ERRORS_ARE_FATAL. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error_handler.h"

enum { kBytes = 8192 };
static int rank, size;
static char data[kBytes];
static MPI_Datatype uncommitted, freed;

static int wrong(int mistake, MPI_Comm comm) {
  switch (mistake) {
    case 0:
      return MPI_Bcast(data, kBytes, MPI_BYTE, size, comm);
    case 1:
      return MPI_Bcast(data, kBytes, MPI_BYTE, -1, comm);
    case 2:
      return MPI_Bcast(data, -1, MPI_BYTE, 0, comm);
    case 3:
      return MPI_Bcast(data, kBytes, MPI_DATATYPE_NULL, 0, comm);
    case 4:
      return MPI_Bcast(data, kBytes / 40, uncommitted, 0, comm);
    case 5:
      return MPI_Bcast(data, kBytes, MPI_BYTE, 0, MPI_COMM_NULL);
    case 6:
      return MPI_Bcast(data, kBytes, freed, 0, comm);
    case 7:
      return MPI_Bcast(data, 0, MPI_BYTE, size, comm);
    case 8:
      return MPI_Bcast(data, kBytes, MPI_BYTE, MPI_ANY_SOURCE, comm);
    case 9:
      return MPI_Bcast(data, kBytes, MPI_BYTE, MPI_ROOT, comm);
  }
  return MPI_SUCCESS;
}
enum { kMistakes = 10 };

static void report(const char* handler, MPI_Comm comm) {
  for (int mistake = 0; mistake < kMistakes; ++mistake) {
    handled = handled_class = 0;
    int const returned = class_of(wrong(mistake, comm));
    if (rank == size - 1) {
      printf("%s %d: returned %d, handled %d times, class %d\n", handler, mistake, returned,
             handled, handled_class);
    }
  }
  /* The communicator still works, and its handler is still the one that was set. */
  memset(data, rank == 0 ? 'x' : 0, kBytes);
  int const error = MPI_Bcast(data, kBytes, MPI_BYTE, 0, comm);
  if (error != MPI_SUCCESS || data[kBytes - 1] != 'x') printf("%s: the next one fails\n", handler);
  MPI_Errhandler now;
  MPI_Comm_get_errhandler(comm, &now);
  if (rank == 0) printf("%s %d\n", handler, now == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&now);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_vector(10, 1, 2, MPI_INT, &uncommitted);
  MPI_Type_contiguous(3, MPI_INT, &freed);
  MPI_Type_commit(&freed);
  MPI_Type_free(&freed); /* is MPI_DATATYPE_NULL now */
  if (argc > 1) {
    wrong(atoi(argv[1]), MPI_COMM_WORLD);
    printf("not reached\n");
    MPI_Finalize();
    return 0;
  }
  MPI_Errhandler own;
  MPI_Comm comm;
  MPI_Comm_create_errhandler(note, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* for MPI_COMM_NULL */
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  report("world, before use", MPI_COMM_WORLD);
  report("world, after use", MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, own);
  report("own handler, before use", comm);
  report("own handler, after use", comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  report("returning again", comm);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&own);
  MPI_Type_free(&uncommitted);
  MPI_Finalize();
  return 0;
}
