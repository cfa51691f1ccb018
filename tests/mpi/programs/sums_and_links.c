/* Sums of doubles before and after a long broadcast, before which links are measured: the bits
   stay. Usage: sums_and_links CALLS */
#include "check.h"

enum { numbers = 1024, long_bytes = 1 << 20 };

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const calls = argc == 2 ? atoi(argv[1]) : 0;
  double own[numbers], sum[numbers], first[numbers];
  char* data = calloc(long_bytes, 1);
  srand(7 + (unsigned)rank);
  for (int i = 0; i < numbers; ++i) own[i] = rand() / 3.0 - rand() / 7.0;
  for (int call = 0; call < calls; ++call) {
    if (call == calls / 2) MPI_Bcast(data, long_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    memset(sum, 0, sizeof(sum));
    MPI_Reduce(own, sum, numbers, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (call == 0) memcpy(first, sum, sizeof(sum));
    check(memcmp(first, sum, sizeof(sum)) == 0, "the bits of sum %d are others", call);
  }
  free(data);
  return finish();
}
