#include "mpi/decision_check.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mpi/functions.hpp"
#include "select/decision.hpp"
#include "select/settings.hpp"

namespace anabranch::mpi {
namespace {

std::string text_of(const Call& call, const Decided& decided) {
  const Decision& decision = decided.decision;
  const std::string server = decision.is_native ? "native" : anabranch::text_of(decision.choice);
  return std::string(name_of(call.collective)) + " of " +
         std::to_string(decided.problem.size_bytes) + " B by " + server + " in " +
         std::to_string(decision.blocks) + " blocks";
}

[[noreturn]] void end(const Call& call, const std::string& own, bool differs) {
  int rank = 0;
  native.Comm_rank(call.comm, &rank);
  if (rank == 0 || differs) {
    std::fprintf(stderr, "anabranch: ranks decide differently: rank %d takes %s\n", rank,
                 own.c_str());
    std::fflush(nullptr);
  }
  native.Barrier(call.comm);
  native.Abort(call.comm, 2);
  std::_Exit(2);
}

}  // namespace

void compare_decisions(const Call& call, const Decided& decided) {
  const std::string own = text_of(call, decided);
  const std::uint64_t hash = hash_bytes(own);
  std::array<std::uint64_t, 2> least = {hash, ~hash};
  if (native.Allreduce(MPI_IN_PLACE, least.data(), 2, MPI_UINT64_T, MPI_MIN, call.comm) !=
      MPI_SUCCESS) {
    return;  // the call itself will say what is wrong with the communicator
  }
  if (least[0] == ~least[1]) return;
  std::uint64_t of_first = hash;
  native.Bcast(&of_first, 1, MPI_UINT64_T, 0, call.comm);
  end(call, own, hash != of_first);
}

}  // namespace anabranch::mpi
