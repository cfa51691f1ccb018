/* Spawns two processes without the library and broadcasts among all: nobody may wait for what the
   others never send. The spawned ones are this program, with "child" as its argument. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kBytes = 20000, kChildren = 2 };
static char data[kBytes];

static void broadcast(MPI_Comm comm, const char* what, const char* expected) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const char* (*choice)(void) = (const char* (*)(void))dlsym(RTLD_DEFAULT, "anabranch_last_choice");
  for (int root = 0; root < size; ++root) {
    memset(data, rank == root ? 'a' + root : 0, kBytes);
    MPI_Bcast(data, kBytes, MPI_BYTE, root, comm);
    if (data[kBytes - 1] != 'a' + root) printf("%s: wrong data\n", what);
    if (choice != NULL && strcmp(choice(), expected) != 0) printf("%s: %s\n", what, choice());
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const is_child = argc > 1 && strcmp(argv[argc - 1], "child") == 0;
  MPI_Comm others, all;
  if (is_child) {
    MPI_Comm_get_parent(&others);
  } else {
    broadcast(MPI_COMM_WORLD, "world", "bcast/flat");
    char* arguments[] = {"-u", "LD_PRELOAD", argv[0], "child", NULL};
    MPI_Comm_spawn("env", arguments, kChildren, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  }
  MPI_Intercomm_merge(others, is_child, &all);
  broadcast(all, "all", "native");
  if (!is_child) broadcast(MPI_COMM_WORLD, "world again", "bcast/flat");
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&others);
  printf("done\n");
  MPI_Finalize();
  return 0;
}
