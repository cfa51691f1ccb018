#include "mpi/deciding.hpp"

#include <bit>
#include <cstdio>
#include <string>

#include "mpi/checks.hpp"
#include "mpi/functions.hpp"
#include "mpi/state.hpp"
#include "select/quantity.hpp"

namespace anabranch::mpi {
namespace {

bool commutes(MPI_Op operation) {
  if (operation == MPI_OP_NULL || is_predefined(operation)) return true;
  int commutative = 0;
  return native.Op_commutative(operation, &commutative) == MPI_SUCCESS && commutative != 0;
}

// Calls for which there is one decision.
DecisionKey key_of(Collective collective, const Problem& problem) {
  return {.collective = collective,
          .sizes = problem.sizes,
          .equal_blocks = problem.equal_blocks,
          .commutative = problem.commutative,
          .size_bytes = problem.size_bytes};
}

void forget_old(Communicator& communicator) {
  constexpr std::size_t most_remembered = 1024;
  const std::uint64_t generation = settings_generation();
  if (communicator.settings_generation != generation) {
    communicator.decisions.clear();
    communicator.explained.clear();
    communicator.settings_generation = generation;
  }
  if (communicator.decisions.size() >= most_remembered) communicator.decisions.clear();
}

}  // namespace

Problem problem_of(const Call& call, const Measure& measure, const Communicator& communicator) {
  return {.ranks = communicator.size,
          .size_bytes = measure.size_bytes,
          .network = communicator.network,
          .planned = communicator.planned,
          .sizes = call.sizes,
          .equal_blocks = measure.equal_parts,
          .commutative = commutes(call.operation),
          .nodes = communicator.nodes};
}

std::shared_ptr<const Decision> decide_once(Collective collective, const Problem& problem,
                                            Communicator& communicator, const Settings& settings) {
  forget_old(communicator);
  auto& entry = communicator.decisions[key_of(collective, problem)];
  const bool is_answered = entry != nullptr && !(entry->needs_network && is_known(problem.network));
  if (!is_answered) {
    entry = std::make_shared<const Decision>(decide(collective, problem, settings));
  }
  return entry;
}

void explain(const Call& call, const Problem& problem, Communicator& communicator,
             const Decision& decision) {
  if (communicator.rank != 0) return;
  DecisionKey key = key_of(call.collective, problem);
  key.size_bytes = std::bit_width(static_cast<std::uint64_t>(key.size_bytes));
  if (!communicator.explained.insert({call.name, key}).second) return;
  const bool is_known = call.sizes == SizeKnowledge::everywhere;
  std::string size;
  if (is_known || is_announced(problem)) size = " of " + std::to_string(problem.size_bytes) + " B";
  if (is_announced(problem)) size += ", as the root told,";
  const std::string operation = problem.commutative ? "" : ", not commutative,";
  std::fprintf(stderr, "anabranch: %s%s%s on %d ranks: %s\n", call.name, size.c_str(),
               operation.c_str(), communicator.size, describe(decision).c_str());
}

void explain_lateness(Communicator& communicator, const Lateness& lateness,
                      const Decision& decision) {
  const double message_s = decision.predicted_s.value_or(0);
  if (lateness.rank < 0 || lateness.arrival_s < message_s ||
      lateness.arrival_s < 2 * communicator.explained_lateness_s) {
    return;
  }
  communicator.explained_lateness_s = lateness.arrival_s;
  std::fprintf(stderr,
               "anabranch: %s: rank %d came last, %s after the root %d, which was in it for %s\n",
               std::string(decision.choice.algorithm->id).c_str(), lateness.rank,
               format_duration(lateness.arrival_s).c_str(), communicator.rank,
               format_duration(lateness.end_s).c_str());
}

}  // namespace anabranch::mpi
