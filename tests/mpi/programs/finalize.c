/* What is left when MPI_Finalize begins. The program leaves communicators behind, all of them used
 * for broadcasts; with an argument also the file of that name, open, which Open MPI can report. */
#include "check.h"

enum { kMost = 2500, kLeft = 60, kElements = 3000 };
static int data[2 * kElements];
static int before;

static int make_as_many_as_possible(void) {
  static MPI_Comm comms[kMost];
  int count = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (count < kMost && MPI_Comm_dup(MPI_COMM_WORLD, &comms[count]) == MPI_SUCCESS) ++count;
  for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
  return count;
}

/* The library's attribute came later, so it goes first. */
static int count_again(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  int const now = make_as_many_as_possible();
  if (rank == 0) printf("%d could be made, then %d, %d left\n", before, now, kLeft);
  fflush(stdout);
  return MPI_SUCCESS;
}

static void add(void* in, void* out, int* count, MPI_Datatype* datatype) {
  (void)datatype;
  for (int i = 0; i < *count; ++i) ((int*)out)[i] += ((int*)in)[i];
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_again, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Comm_free_keyval(&key);
  before = make_as_many_as_possible();

  MPI_Datatype gaps;
  MPI_Type_vector(kElements, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  for (int i = 0; i < kLeft; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    data[0] = rank == 0 ? i : -1;
    MPI_Bcast(data, 1, gaps, 0, comm);
    check(data[0] == i, "%d instead of %d", data[0], i);
    check(strcmp(last_choice(), "native") != 0, "broadcast %d was native", i);
  }
  MPI_Type_free(&gaps);

  MPI_Op own_sum;
  int ones[4] = {1, 1, 1, 1}, sums[4] = {0};
  MPI_Op_create(add, 1, &own_sum);
  MPI_Allreduce(ones, sums, 4, MPI_INT, own_sum, MPI_COMM_WORLD);
  MPI_Allreduce(ones, sums, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sums[3] == size, "the sum is %d", sums[3]);
  MPI_Op_free(&own_sum);

  if (argc > 1) {
    MPI_File file;
    int const mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    MPI_File_open(MPI_COMM_WORLD, argv[1], mode, MPI_INFO_NULL, &file);
  }
  return finish();
}
