// Uses the C++ runtime that it was compiled with, in threads, beside the one that the preloaded
// library carries: exceptions of its own, and one that its reduction throws into the library.
// Prints "runtime: RANK: .." of each rank.
#include <mpi.h>

#include <array>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

constexpr int kDoubles = 1000;

std::string thrown_in_a_thread(int rank) {
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      throw std::out_of_range("thread of rank " + std::to_string(rank));
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  try {
    std::rethrow_exception(thrown);
  } catch (const std::out_of_range& caught) {
    return caught.what();
  }
}

void throwing(void*, void*, int*, MPI_Datatype*) { throw std::runtime_error("reduction"); }

int error_of_a_reduction_that_throws() {
  MPI_Op operation = MPI_OP_NULL;
  MPI_Op_create(throwing, 1, &operation);
  std::array<double, kDoubles> input{};
  std::array<double, kDoubles> output{};
  const int error =
      MPI_Reduce(input.data(), output.data(), kDoubles, MPI_DOUBLE, operation, 0, MPI_COMM_WORLD);
  MPI_Op_free(&operation);
  int error_class = MPI_SUCCESS;
  MPI_Error_class(error, &error_class);
  return error_class;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int error_class = error_of_a_reduction_that_throws();
  std::array<double, kDoubles> values{};
  values.fill(rank == 0 ? 2.5 : 0);
  MPI_Bcast(values.data(), kDoubles, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  std::ostringstream line;
  line << "runtime: " << rank << ": " << thrown_in_a_thread(rank) << ", " << values.back() << ", "
       << (error_class == MPI_ERR_INTERN ? "internal error" : "no internal error") << '\n';
  std::cout << line.str() << std::flush;
  MPI_Finalize();
  return 0;
}
