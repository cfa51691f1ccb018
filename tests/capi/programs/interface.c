/* Uses anabranch.h, linked with -lanabranch. Prints a line for each step; the ranks print alike. */
#include <anabranch.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 10000 };
static int rank;
static char data[kBytes];

static void set(const char* name, const char* value) {
  int const failed = anabranch_set(name, value);
  if (rank == 0) {
    printf("set %s=%s: %d %s\n", name ? name : "(null)", value ? value : "(null)", failed,
           failed ? anabranch_last_error() : "");
  }
}

static void broadcast(int bytes) {
  memset(data, rank == 0 ? 'x' : 0, kBytes);
  MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (bytes > 0 && data[bytes - 1] != 'x') printf("wrong data\n");
  if (rank == 0) printf("%d B: %s\n", bytes, anabranch_last_choice());
}

int main(int argc, char** argv) {
  printf("version %s\n", anabranch_version());
  printf("before: %d %s, %s\n", anabranch_set("bcast", "bcast/chain"), anabranch_last_error(),
         anabranch_last_choice());
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("at first: %s\n", anabranch_last_choice());
  broadcast(5000);
  set("bcast", "bcast/chain:segment=2KiB");
  broadcast(5000);
  broadcast(0);
  broadcast(5000);
  set("bcast", "bcast/chian");
  set("bcats", "native");
  set("", "");
  set(NULL, "1");
  set("bcast", NULL);
  set("config", "/tmp/file");
  set("send_window", "65");
  broadcast(5000); /* nothing changed */
  set("explain", "1");
  set("explain", "0");
  set("cache", "0");
  broadcast(5000);
  broadcast(5000);
  set("bcast", "bcast/circulant");
  broadcast(9000);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Bcast(data, kBytes, MPI_BYTE, 0, comm);
  MPI_Comm_free(&comm);
  if (rank == 0) printf("freed: %s\n", anabranch_last_choice());
  for (int i = 0; i < 2000; ++i) { /* a tuner changes settings all the time */
    anabranch_set("bcast", i % 2 ? "bcast/flat" : "bcast/binomial");
    MPI_Bcast(data, 100 + i, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("last: %s\n", anabranch_last_choice());
  set("bcast", "auto");
  MPI_Finalize();
  return 0;
}
