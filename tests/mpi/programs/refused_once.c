/* Broadcasts of which one rank makes some with a wrong argument at first. The MPI refuses that, and
   the rank makes the call once more, as it should be; the others make it once. Who serves a call
   must stay alike on all ranks: of short calls, of which some are left to the MPI before anybody
   looks at the network, and of long ones, of which the first are a trial. Rank 0 prints who served
   them, one letter each: "n" native, "c" others. Usage: refused_once CALLS */
#include "check.h"

enum { kMostCalls = 4096, kFew = 2, kMany = 50000 };

static char served[kMostCalls + 1];
static int data[kMany];

static int is_refused_first(int call) { return call % 3 == 1 && call / 3 % size == rank; }

static void broadcast(int call, int elements, MPI_Datatype uncommitted, MPI_Comm comm) {
  int const root = call % size;
  for (int i = 0; i < elements; ++i) data[i] = rank == root ? i * 31 + call : -1;
  if (is_refused_first(call)) {
    int found = MPI_SUCCESS;
    MPI_Error_class(MPI_Bcast(data, elements, uncommitted, root, comm), &found);
    check(found == MPI_ERR_TYPE, "call %d with a wrong argument gives error class %d", call, found);
  }
  int const error = MPI_Bcast(data, elements, MPI_INT, root, comm);
  check(error == MPI_SUCCESS, "call %d gives error %d", call, error);
  int right = 1;
  for (int i = 0; i < elements; ++i) right = right && data[i] == i * 31 + call;
  check(right, "broadcast %d has wrong data", call);
  served[call] = strcmp(last_choice(), "native") == 0 ? 'n' : 'c';
}

static void run(const char* what, int calls, int elements, MPI_Comm comm) {
  static char of_first[kMostCalls + 1];
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(1, MPI_INT, &uncommitted);
  for (int call = 0; call < calls; ++call) broadcast(call, elements, uncommitted, comm);
  MPI_Type_free(&uncommitted);
  served[calls] = '\0';
  memcpy(of_first, served, sizeof served);
  MPI_Bcast(of_first, calls, MPI_CHAR, 0, comm);
  check(strcmp(of_first, served) == 0, "%s: others than on rank 0 served them", what);
  if (rank == 0) printf("%s: %s\n", what, served);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const calls = argc > 1 ? atoi(argv[1]) : 100;
  if (calls < 1 || calls > kMostCalls) return 2;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  run("short", calls, kFew, comm);
  run("long", calls, kMany, comm);
  MPI_Comm_free(&comm);
  return finish();
}
