// Simulations of schedules, and of algorithms by their names.
#include <memory>
#include <stdexcept>
#include <string>

#include "algorithms/instantiate.hpp"
#include "collectives/layouts.hpp"
#include "execution/repeated_execution.hpp"
#include "execution/schedule_execution.hpp"
#include "model/simulation.hpp"

namespace anabranch {

Outcome simulate(std::span<const Schedule* const> schedules, const Layouts& layouts,
                 const Machine& machine, const Circumstances& circumstances) {
  std::vector<std::unique_ptr<Execution>> owned;
  std::vector<Execution*> executions;
  for (const Schedule* schedule : schedules) {
    owned.push_back(std::make_unique<ScheduleExecution>(*schedule, circumstances.window, 0));
    executions.push_back(owned.back().get());
  }
  return simulate(executions, layouts, machine, circumstances);
}

Outcome simulate(const Choice& choice, const Problem& problem, const Machine& machine,
                 const Circumstances& circumstances) {
  const Choice resolved = resolve(choice, problem);
  const Algorithm& algorithm = *resolved.algorithm;
  if (algorithm.is_native()) {
    throw std::invalid_argument(std::string(algorithm.id) +
                                " is the MPI's own, which a model cannot price");
  }
  const std::int32_t blocks = algorithm.blocks(problem, resolved.values);
  const Layouts layouts =
      even_layouts(algorithm.collective, problem.ranks, blocks, problem.size_bytes);
  const Conditions conditions{.problem = problem, .window = circumstances.window};
  Group group{.ranks = problem.ranks, .places = circumstances.places};
  std::vector<std::unique_ptr<Execution>> owned;
  std::vector<Execution*> executions;
  for (group.rank = 0; group.rank < problem.ranks; ++group.rank) {
    const auto make = [&, group] { return instantiate(resolved, group, blocks, conditions); };
    owned.push_back(circumstances.calls == 1
                        ? make()
                        : std::make_unique<RepeatedExecution>(make, circumstances.calls));
    executions.push_back(owned.back().get());
  }
  return simulate(executions, layouts, machine, circumstances);
}

}  // namespace anabranch
