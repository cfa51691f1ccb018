// Broadcasts while the process goes: in the destructor of a static, after those of the main
// thread's thread-local objects, and lets that destructor finalise the MPI. Also forks, and throws.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace {

int rank = 0;
char data[10000];

void broadcast(const char* when) {
  std::memset(data, rank == 1 ? 'x' : 0, sizeof(data));
  MPI_Bcast(data, sizeof(data), MPI_BYTE, 1, MPI_COMM_WORLD);
  if (data[sizeof(data) - 1] != 'x') std::printf("wrong data\n");
  if (rank == 0) std::printf("%s\n", when);
  std::fflush(stdout);
}

struct Environment {
  ~Environment() {
    broadcast("static destructor");
    MPI_Finalize();
  }
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static Environment environment;  // goes before what the MPI itself does at exit
  broadcast("main");
  if (provided >= MPI_THREAD_SERIALIZED) {
    std::thread([] { broadcast("thread"); }).join();
    std::thread([] { broadcast("another thread"); }).join();
  }
  try {
    throw std::runtime_error("of the program");
  } catch (const std::exception& error) {
    broadcast(error.what());
  }
  std::fflush(stdout);
  if (const pid_t child = fork(); child == 0) {
    _exit(7);
  } else {
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 7) std::printf("the child failed\n");
  }
  broadcast("after a fork");
  return 0;
}
