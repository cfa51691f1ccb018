/* Starts MPI and then never ends. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("started %d\n", (int)getpid());
  fflush(stdout);
  for (;;) pause();
}
