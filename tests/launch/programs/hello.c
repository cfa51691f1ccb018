/* Prints a line for each rank: rank, size, host, checksum of a broadcast, and the values of the
   environment variables named by the arguments. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBytes = 100000, kLineBytes = 4096 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static unsigned char data[kBytes];
  int const root = size - 1;
  for (int i = 0; rank == root && i < kBytes; ++i) data[i] = (unsigned char)(7 * i + 3);
  MPI_Bcast(data, kBytes, MPI_BYTE, root, MPI_COMM_WORLD);
  unsigned long checksum = 0;
  for (int i = 0; i < kBytes; ++i) checksum = (checksum * 31 + data[i]) % 1000003;

  char host[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_processor_name(host, &length);
  char line[kLineBytes];
  int used = snprintf(line, sizeof line, "%d/%d %s %lu", rank, size, host, checksum);
  for (int i = 1; i < argc && used < kLineBytes; ++i) {
    char const* value = getenv(argv[i]);
    used += snprintf(line + used, sizeof line - (size_t)used, " %s=%s", argv[i],
                     value != NULL ? value : "(unset)");
  }
  /* Printed by one rank, because launchers mix what several print at once. */
  char* lines = malloc((size_t)size * kLineBytes);
  MPI_Gather(line, kLineBytes, MPI_CHAR, lines, kLineBytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i) puts(lines + (size_t)i * kLineBytes);
  free(lines);
  MPI_Finalize();
  return 0;
}
