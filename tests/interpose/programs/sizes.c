/* Broadcasts as many bytes as each argument says; "late:R:MS" makes rank R wait before the next
   one, "set:NAME:VALUE" changes a setting, "dup" goes on with a duplicate of the communicator. Each
   rank ends with "rank R done". */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  printf("began\n");
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  for (int i = 1; i < argc; ++i) {
    int who, milliseconds;
    if (sscanf(argv[i], "late:%d:%d", &who, &milliseconds) == 2) {
      if (rank == who) usleep((unsigned)milliseconds * 1000);
    } else if (strncmp(argv[i], "set:", 4) == 0) {
      int (*set)(const char*, const char*) = NULL;
      *(void**)&set = dlsym(RTLD_DEFAULT, "anabranch_set");
      char* value = strchr(argv[i] + 4, ':');
      *value = '\0';
      if (set(argv[i] + 4, value + 1) != 0) printf("refused\n");
    } else if (strcmp(argv[i], "dup") == 0) {
      MPI_Comm_dup(comm, &comm);
    } else {
      size_t const bytes = (size_t)atol(argv[i]);
      char* data = malloc(bytes + 1);
      memset(data, rank == 0 ? i : 0, bytes);
      MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, comm);
      if (bytes > 0 && data[bytes - 1] != i) printf("wrong data\n");
      free(data);
    }
  }
  printf("rank %d done\n", rank);
  MPI_Finalize();
  return 0;
}
