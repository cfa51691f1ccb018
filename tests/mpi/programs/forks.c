/* A program that forks, before its first broadcast and after each: the children exit, and the
 * parents go on. */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { kBytes = 20000 };
static unsigned char data[kBytes];

static void broadcast(unsigned seed) {
  int const root = (int)seed % size;
  for (size_t i = 0; i < kBytes; ++i) data[i] = rank == root ? test_byte(i, seed) : 0xEE;
  int const error = MPI_Bcast(data, kBytes, MPI_BYTE, root, MPI_COMM_WORLD);
  check(error == MPI_SUCCESS, "broadcast %u: error %d", seed, error);
  size_t wrong = 0;
  for (size_t i = 0; i < kBytes; ++i) wrong += data[i] != test_byte(i, seed);
  check(wrong == 0, "broadcast %u: %zu B wrong", seed, wrong);
}

static void fork_and_wait(void) {
  pid_t const child = fork();
  if (child == 0) exit(0);
  int status = 1;
  check(waitpid(child, &status, 0) == child, "there is no child");
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %d", status);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  fork_and_wait();
  for (unsigned i = 0; i < 5; ++i) {
    broadcast(i);
    fork_and_wait();
  }
  return finish();
}
