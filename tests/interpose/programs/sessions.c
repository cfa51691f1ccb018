/* A program that never calls MPI_Init. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kBytes = 20000 };

int main(void) {
#if MPI_VERSION >= 4
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm, part;
  static char data[kBytes];
  int rank, size;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const char* (*choice)(void) = (const char* (*)(void))dlsym(RTLD_DEFAULT, "anabranch_last_choice");

  /* Some ranks broadcast among themselves before all do. */
  MPI_Comm_split(comm, rank == 0 ? MPI_UNDEFINED : 1, rank, &part);
  if (part != MPI_COMM_NULL) {
    memset(data, rank == 1 ? 'p' : 0, kBytes);
    MPI_Bcast(data, kBytes, MPI_BYTE, 0, part);
    if (data[kBytes - 1] != 'p') printf("wrong data\n");
    MPI_Comm_free(&part);
  }
  memset(data, rank == size - 1 ? 'x' : 0, kBytes);
  MPI_Bcast(data, kBytes, MPI_BYTE, size - 1, comm);
  printf("%s %s\n", data[kBytes - 1] == 'x' ? "right" : "wrong",
         choice != NULL ? choice() : "absent");
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
#else
  printf("no sessions\n");
#endif
  return 0;
}
