/* Short broadcasts, more than there are tags, from one root after the other: every byte is
   compared. Usage: many_calls CALLS */
#include "check.h"

enum { kBytes = 8 };

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const calls = argc > 1 ? atoi(argv[1]) : 100;
  for (int call = 0; call < calls; ++call) {
    int const root = call % size;
    unsigned char data[kBytes], expected[kBytes];
    for (size_t i = 0; i < kBytes; ++i) expected[i] = test_byte(i, (unsigned)call);
    memset(data, 0xa5, sizeof data);
    if (rank == root) memcpy(data, expected, sizeof data);
    MPI_Bcast(data, kBytes, MPI_UNSIGNED_CHAR, root, MPI_COMM_WORLD);
    check(memcmp(data, expected, sizeof data) == 0, "broadcast %d has wrong data", call);
  }
  check(was_served_by("bcast/flat"), "%s served the last one", last_choice());
  return finish();
}
