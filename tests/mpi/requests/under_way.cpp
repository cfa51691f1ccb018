// Eight calls of four collectives on two communicators, all begun before any is waited for and
// then advanced in a random order, another one on each rank; one of the communicators is freed
// while its calls are under way. Every byte is compared. Prints "N checks, M failures".
// Arguments: settings as bcast=bcast/chain, and the word "run" wherever all that is to take place.
//
// Linked with the library's own objects: nothing of it is non-blocking to programs yet.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mpi/functions.hpp"
#include "mpi/requests.hpp"
#include "mpi/serve.hpp"
#include "mpi/start.hpp"
#include "mpi/state.hpp"

namespace {

using namespace anabranch;
using mpi::Call;
using mpi::Request;

int rank = 0;
int size = 1;
long checks = 0;
long failures = 0;
std::string chosen;  // what is set for the present run

void check(bool is_right, const std::string& what) {
  ++checks;
  if (is_right) return;
  ++failures;
  std::fprintf(stderr, "rank %d of %d with%s: %s\n", rank, size, chosen.c_str(), what.c_str());
}

std::int32_t value(std::int32_t of_rank, std::size_t index, std::uint32_t seed) {
  return static_cast<std::int32_t>((of_rank * 7919 + static_cast<std::int32_t>(index) * 31 +
                                    static_cast<std::int32_t>(seed) * 104729) %
                                   100003);
}

// A call that is checked: its buffers, its arguments, and what must come out.
struct CheckedCall {
  std::string name;
  std::vector<std::int32_t> in;
  std::vector<std::int32_t> out;
  std::vector<std::int32_t> expected;
  Call call;
  std::shared_ptr<Request> request;
};

std::vector<std::int32_t> values(std::int32_t of_rank, std::size_t count, std::uint32_t seed) {
  std::vector<std::int32_t> found(count);
  for (std::size_t i = 0; i < count; ++i) found[i] = value(of_rank, i, seed);
  return found;
}

std::unique_ptr<CheckedCall> made(const std::string& name, std::size_t count, std::uint32_t seed,
                                  int root, MPI_Comm comm) {
  auto one = std::make_unique<CheckedCall>();
  one->name = name;
  const auto elements = static_cast<std::int64_t>(count);
  const auto all = static_cast<std::size_t>(size) * count;
  if (name == "bcast") {
    one->expected = values(root, count, seed);
    one->out = rank == root ? one->expected : std::vector<std::int32_t>(count, -1);
    one->call = {.name = "bcast", .collective = Collective::bcast};
  } else if (name == "allreduce") {
    one->in = values(rank, count, seed);
    one->out.assign(count, -1);
    one->expected.assign(count, 0);
    for (int other = 0; other < size; ++other) {
      for (std::size_t i = 0; i < count; ++i) one->expected[i] += value(other, i, seed);
    }
    one->call = {.name = "allreduce", .collective = Collective::allreduce, .op = MPI_SUM};
  } else if (name == "allgather") {
    one->in = values(rank, count, seed);
    one->out.assign(all, -1);
    for (int other = 0; other < size; ++other) {
      const auto part = values(other, count, seed);
      one->expected.insert(one->expected.end(), part.begin(), part.end());
    }
    one->call = {.name = "allgather", .collective = Collective::allgather};
  } else {
    one->in = values(rank, all, seed);
    one->out.assign(all, -1);
    for (int other = 0; other < size; ++other) {
      const auto sent = values(other, all, seed);
      const auto own = sent.begin() + static_cast<std::ptrdiff_t>(rank * elements);
      one->expected.insert(one->expected.end(), own, own + static_cast<std::ptrdiff_t>(elements));
    }
    one->call = {.name = "alltoall", .collective = Collective::alltoall};
  }
  if (!one->in.empty()) one->call.input = {one->in.data(), elements, MPI_INT32_T};
  one->call.output = {one->out.data(), elements, MPI_INT32_T};
  one->call.root = name == "bcast" ? root : 0;
  one->call.comm = comm;
  return one;
}

constexpr const char* names[] = {"bcast", "allreduce", "allgather", "alltoall"};

void begin(std::vector<std::unique_ptr<CheckedCall>>& calls) {
  for (auto& one : calls) {
    int error = MPI_SUCCESS;
    // Nothing of the caller's but its buffers is kept.
    auto call = std::make_unique<Call>(one->call);
    one->request = mpi::start(*call, error);
    *call = {};
    check(error == MPI_SUCCESS, one->name + " does not begin");
    check(size == 1 || one->request != nullptr, one->name + " is left to the MPI");
  }
}

void advance_all(std::vector<std::unique_ptr<CheckedCall>>& calls, std::mt19937& random) {
  std::vector<Request*> open;
  for (auto& one : calls) {
    if (one->request) open.push_back(one->request.get());
  }
  while (!open.empty()) {
    std::uniform_int_distribution<std::size_t> any(0, open.size() - 1);
    open[any(random)]->advance();
    std::erase_if(open, [](const Request* one) { return one->done(); });
  }
}

void run(std::uint32_t seed, std::size_t count, bool by_the_list) {
  std::mt19937 random(seed * 1000 + static_cast<std::uint32_t>(rank));
  MPI_Comm comms[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[1]);
  std::vector<std::unique_ptr<CheckedCall>> calls;
  for (std::uint32_t i = 0; i < 8; ++i) {
    calls.push_back(
        made(names[i % 4], count, seed + i, static_cast<int>(i + seed) % size, comms[i / 4]));
  }
  begin(calls);
  MPI_Comm_free(&comms[1]);
  if (by_the_list) {
    for (auto& one : calls) {
      if (one->request) mpi::keep_advancing(one->request);
    }
    if (calls.back()->request) mpi::wait_for(*calls.back()->request);
    while (std::ranges::any_of(
        calls, [](const auto& one) { return one->request && !one->request->done(); })) {
      mpi::advance_requests();
    }
  } else {
    advance_all(calls, random);
  }
  for (auto& one : calls) {
    if (!one->request) continue;
    check(one->request->error() == MPI_SUCCESS, one->name + " fails");
    check(one->out == one->expected, one->name + " is wrong");
  }
  calls.clear();
  MPI_Comm_free(&comms[0]);
}

void run_all() {
  std::uint32_t seed = 1;
  for (const std::size_t count : {1, 500, 30000}) {
    for (const bool by_the_list : {false, true}) run(seed++, count, by_the_list);
  }
}

void set(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const std::string problem =
      equals == std::string::npos
          ? argument + " is no setting"
          : mpi::change_setting(argument.substr(0, equals), argument.substr(equals + 1));
  check(problem.empty(), problem);
  chosen += " " + argument;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (const char* missing = mpi::load_functions(dlopen(nullptr, RTLD_NOW))) {
    std::fprintf(stderr, "%s\n", missing);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mpi::start_world();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  for (const std::string& argument : arguments) {
    if (argument == "run") {
      run_all();
      chosen.clear();
    } else {
      set(argument);
    }
  }
  long total[2] = {checks, failures};
  MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%ld checks, %ld failures\n", total[0], total[1]);
  MPI_Finalize();
  return total[1] == 0 ? 0 : 1;
}
