// Simulations of schedules, and of algorithms by their names.
#include <memory>
#include <stdexcept>
#include <string>

#include "collectives/layouts.hpp"
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
  if (algorithm.generate == nullptr && algorithm.start == nullptr) {
    throw std::invalid_argument(std::string(algorithm.id) +
                                " has no schedule that a model could price");
  }
  const std::int32_t blocks = algorithm.blocks(problem, resolved.values);
  const Layouts layouts =
      even_layouts(algorithm.collective, problem.ranks, blocks, problem.size_bytes);
  if (algorithm.start != nullptr) {
    std::vector<std::unique_ptr<Execution>> owned;
    std::vector<Execution*> executions;
    for (std::int32_t rank = 0; rank < problem.ranks; ++rank) {
      owned.push_back(algorithm.start(
          {problem, rank, blocks, resolved.values, circumstances.window, 0, nullptr}));
      executions.push_back(owned.back().get());
    }
    return simulate(executions, layouts, machine, circumstances);
  }
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(problem.ranks));
  std::vector<const Schedule*> pointers;
  for (std::int32_t rank = 0; rank < problem.ranks; ++rank) {
    schedules.push_back(resolved.algorithm->generate(problem.ranks, rank, blocks, resolved.values));
    pointers.push_back(&schedules.back());
  }
  return simulate(pointers, layouts, machine, circumstances);
}

}  // namespace anabranch
