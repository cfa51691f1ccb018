#include "mpi/start.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>

#include "mpi/agreement.hpp"
#include "mpi/communicator.hpp"
#include "mpi/functions.hpp"
#include "mpi/shared_files.hpp"
#include "mpi/state.hpp"
#include "mpi/summary.hpp"

namespace anabranch::mpi {

constinit std::atomic<bool> world_is_started{false};

namespace {

std::atomic<bool> abort_began{false};

// What is wrong with the settings of this process; read at the first call.
const std::string& own_problem(bool with_files) {
  static std::once_flag once;
  static auto* problem = new std::string;
  std::call_once(once, [=] { *problem = load_settings(with_files); });
  return *problem;
}

// The least over all ranks.
template <std::size_t count>
std::array<std::uint64_t, count> least(std::array<std::uint64_t, count> values, MPI_Comm comm) {
  agree_on_least(values.data(), static_cast<int>(count), MPI_UINT64_T, comm);
  return values;
}

// Who is to print what; an empty line where all is well.
struct Verdict {
  bool ends = false;
  std::string line;  // of the one rank that prints
};

Verdict compare(MPI_Comm comm, bool with_files) {
  int rank = 0;
  native.Comm_rank(comm, &rank);
  const std::string& problem = own_problem(with_files);
  const std::uint64_t hash = problem.empty() ? hash_of(settings(), with_files) : 0;
  const auto nobody = ~std::uint64_t{0};
  const auto own = static_cast<std::uint64_t>(rank);
  const auto [first_with_problem, smallest_hash, largest_hash_inverted] =
      least<3>({problem.empty() ? nobody : own, hash, ~hash}, comm);
  if (first_with_problem != nobody) return {true, own == first_with_problem ? problem : ""};
  if (smallest_hash == ~largest_hash_inverted) return {};
  // Told from the first rank's, which most others are likely to share.
  std::uint64_t of_first = hash;
  native.Bcast(&of_first, 1, MPI_UINT64_T, 0, comm);
  const auto [differing] = least<1>({hash == of_first ? nobody : own}, comm);
  std::string line = "the ANABRANCH_ settings of rank " + std::to_string(differing) +
                     " differ from those of rank 0; all ranks need the same";
  return {true, rank == 0 ? std::move(line) : ""};
}

Verdict share(MPI_Comm comm) {
  std::string problem = share_files(comm);
  if (problem.empty()) return {};
  int rank = 0;
  native.Comm_rank(comm, &rank);
  return {true, rank == 0 ? std::move(problem) : ""};
}

void print(const std::string& line) {
  if (!line.empty()) std::fprintf(stderr, "anabranch: %s\n", line.c_str());
  std::fflush(nullptr);
}

// With exit code 2 for the program as a whole. Launchers kill all ranks when one aborts, and lose
// what they have not forwarded by then; and after MPI_Finalize, MPICH's reports the exit codes of
// ranks that end a little later than the first as 0 or 9. So one rank aborts, after a while, and
// the others wait for it.
[[noreturn]] void end(const Verdict& verdict, MPI_Comm comm) {
  constexpr timespec forwarding_time{0, 300'000'000};
  constexpr timespec patience{5, 0};  // for a launcher that does not kill
  print(verdict.line);
  native.Barrier(comm);
  nanosleep(verdict.line.empty() ? &patience : &forwarding_time, nullptr);
  native.Abort(comm, 2);
  std::_Exit(2);
}

}  // namespace

void start_world() {
  static std::atomic<bool> once{false};
  if (once.exchange(true)) return;
  Verdict verdict = compare(MPI_COMM_WORLD, false);
  if (!verdict.ends) verdict = share(MPI_COMM_WORLD);
  if (verdict.ends) end(verdict, MPI_COMM_WORLD);
  start_summary();
  world_is_started.store(true, std::memory_order_release);
  make_communicator_of_this_process();
}

void note_abort() { abort_began.store(true, std::memory_order_relaxed); }

bool is_aborting() { return abort_began.load(std::memory_order_relaxed); }

void start_on(MPI_Comm comm) {
  const Verdict verdict = compare(comm, true);
  if (verdict.ends) end(verdict, comm);
  int rank = 0;
  native.Comm_rank(comm, &rank);
  if (rank == 0) tell_of_unused_tuning();
}

}  // namespace anabranch::mpi
