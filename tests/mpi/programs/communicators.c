/* Communicators of all kinds. The argument names the part to run; the settings come from outside.
 */
#include <sys/resource.h>

#include "check.h"

enum { kBytes = 5000 };
static unsigned char data[kBytes];
static unsigned seed;

/* One broadcast whose result is checked. `served`: whether it must not be native. */
static void broadcast(MPI_Comm comm, int root, int served, const char* what) {
  int own, ranks;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  ++seed;
  memset(data, 0xEE, kBytes);
  for (size_t i = 0; own == root && i < kBytes; ++i) data[i] = test_byte(i, seed % 256);
  /* The root tells its seed, for communicators whose members have made different numbers of calls.
   */
  memcpy(data, &seed, sizeof seed);
  int const error = MPI_Bcast(data, kBytes, MPI_BYTE, root, comm);
  check(error == MPI_SUCCESS, "%s: error %d", what, error);
  unsigned of_root;
  memcpy(&of_root, data, sizeof of_root);
  size_t wrong = 0;
  for (size_t i = sizeof seed; i < kBytes; ++i) wrong += data[i] != test_byte(i, of_root % 256);
  check(wrong == 0, "%s: %zu B wrong", what, wrong);
  if (served >= 0) {
    int const native = strcmp(last_choice(), "native") == 0;
    check(native == (!served || ranks == 1), "%s: served by %s", what, last_choice());
  }
}

static void kinds(void) {
  MPI_Comm comm, other;
  broadcast(MPI_COMM_WORLD, size - 1, 1, "world");
  broadcast(MPI_COMM_SELF, 0, 1, "self");

  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  broadcast(comm, 0, 1, "duplicate");
  MPI_Comm_dup(comm, &other);
  broadcast(other, size / 2, 1, "duplicate of a duplicate that was used");
  MPI_Comm_free(&comm);
  broadcast(other, size - 1, 1, "duplicate of a duplicate that is gone");
  MPI_Comm_free(&other);

  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  broadcast(comm, 0, 1, "reversed");
  broadcast(comm, size - 1, 1, "reversed");
  MPI_Comm_free(&comm);

  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, (rank * 5) % 7, &comm);
  broadcast(comm, 0, 1, "halves");
  MPI_Comm_disconnect(&comm);

  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &comm);
  if (comm != MPI_COMM_NULL) {
    broadcast(comm, 0, 1, "without rank 0");
    MPI_Comm_free(&comm);
  }

  MPI_Group world, few;
  int chosen[2] = {size - 1, 0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, size > 1 ? 2 : 1, chosen, &few);
  MPI_Comm_create(MPI_COMM_WORLD, few, &comm);
  if (comm != MPI_COMM_NULL) {
    broadcast(comm, 0, 1, "last and first");
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&few);
  MPI_Group_free(&world);

  int const periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 1, &comm);
  broadcast(comm, 0, 1, "cartesian");
  MPI_Comm_free(&comm);
}

/* Two groups, and what becomes of their union. */
static void inter(void) {
  if (size < 2) return;
  MPI_Comm local, both, merged;
  int const low = rank < size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, low, rank, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? size / 2 : 0, 5, &both);
  for (int round = 0; round < 3; ++round) {
    int own;
    MPI_Comm_rank(local, &own);
    memset(data, rank == 0 ? 7 + round : 0, kBytes);
    int const root = !low ? 0 : own == 0 ? MPI_ROOT : MPI_PROC_NULL;
    int const error = MPI_Bcast(data, kBytes, MPI_BYTE, root, both);
    check(error == MPI_SUCCESS, "inter-communicator: error %d", error);
    int const has = rank == 0 || !low;
    check(data[kBytes - 1] == (has ? 7 + round : 0), "inter-communicator: wrong data");
    check(strcmp(last_choice(), "native") == 0, "inter-communicator: %s", last_choice());
  }
  MPI_Intercomm_merge(both, low, &merged);
  broadcast(merged, 0, 1, "merged");
  broadcast(merged, size - 1, 1, "merged");
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&local);
}

static int copies, deletions;
static int count_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static int count_deletion(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

/* The program's own attributes are copied and deleted when it does so itself, and then only. */
static void attributes(void) {
  int key, flag;
  void* value;
  MPI_Comm comm, copy;
  MPI_Comm_create_keyval(count_copy, count_deletion, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, &copies);
  for (int i = 0; i < 3; ++i) broadcast(comm, 0, 1, "with an attribute");
  check(copies == 0 && deletions == 0, "%d copies, %d deletions", copies, deletions);
  MPI_Comm_dup(comm, &copy);
  broadcast(copy, 0, 1, "copy with an attribute");
  check(copies == 1 && deletions == 0, "%d copies, %d deletions", copies, deletions);
  MPI_Comm_get_attr(copy, key, &value, &flag);
  check(flag && value == &copies, "the attribute was not copied");
  MPI_Comm_free(&comm);
  MPI_Comm_free(&copy);
  check(copies == 1 && deletions == 2, "%d copies, %d deletions", copies, deletions);
  MPI_Comm_free_keyval(&key);
}

/* Communicators come and go: neither contexts nor memory run out. */
static void loop(void) {
  struct rusage before, after;
  for (int i = 0; i < 2300; ++i) {
    MPI_Comm comm;
    if (i % 2 == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    }
    broadcast(comm, i % size, 1, "short-lived");
    MPI_Comm_free(&comm);
    if (i == 500) getrusage(RUSAGE_SELF, &before);
  }
  getrusage(RUSAGE_SELF, &after);
  long const grown_kib = after.ru_maxrss - before.ru_maxrss;
  check(grown_kib < 8192, "1800 communicators left %ld KiB behind", grown_kib);
}

/* So many communicators that no more can be made: the rest stay with the MPI, on all ranks. */
static void exhaust(void) {
  enum { kMost = 3000 };
  static MPI_Comm comms[kMost];
  int count = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (count < kMost && MPI_Comm_dup(MPI_COMM_WORLD, &comms[count]) == MPI_SUCCESS) ++count;
  check(count > 100, "only %d communicators could be made", count);
  /* The error of making one more is none of the program's. */
  for (int i = 0; i < count; ++i) MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_ARE_FATAL);
  if (count == kMost) { /* no limit in sight */
    for (int i = 0; i < 100; ++i) broadcast(comms[i], i % size, 1, "one of many");
  } else {
    for (int i = 0; i < 20; ++i) broadcast(comms[i], i % size, 0, "without a context left");
    for (int i = 20; i < 30; ++i) MPI_Comm_free(&comms[i]);
    for (int i = 0; i < 20; ++i) broadcast(comms[i], i % size, 0, "as agreed");
    for (int i = 30; i < 40; ++i) broadcast(comms[i], i % size, 1, "with contexts again");
    for (int i = 0; i < 20; ++i) broadcast(comms[i + 40], i % size, -1, "until there are none");
  }
  for (int i = 0; i < count; ++i) {
    if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
  }
  broadcast(MPI_COMM_WORLD, 0, 1, "world at last");
}

/* Left to MPI_Finalize to tidy up. */
static void abandoned(void) {
  for (int i = 0; i < 5; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    broadcast(comm, 0, 1, "never freed");
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const char* part = argv[1];
  if (strcmp(part, "kinds") == 0) kinds();
  if (strcmp(part, "inter") == 0) inter();
  if (strcmp(part, "attributes") == 0) attributes();
  if (strcmp(part, "loop") == 0) loop();
  if (strcmp(part, "exhaust") == 0) exhaust();
  if (strcmp(part, "abandoned") == 0) abandoned();
  return finish();
}
