#include "mpi/operation.hpp"

#include <algorithm>
#include <string>

#include "execution/schedule_execution.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {
namespace {

std::string name_of(const CollectiveOperation& operation) {
  return std::string(operation.choice.algorithm->id);
}

int run_protocol(const CollectiveOperation& operation, BlockMemory& memory, const Members& members,
                 std::int32_t rank) {
  if (const int error = operation.mail.look(members.channel)) return error;
  const auto execution = operation.choice.algorithm->start(
      {operation.problem, members.relative(rank), operation.blocks, operation.choice.values,
       operation.window, operation.tag, &schedule_cache(), operation.mail.pushed_bytes()});
  Driver driver(*execution, memory, members, operation.waiting, operation.recording);
  const int error = driver.run(name_of(operation));
  driver.hand_over(operation.mail, operation.problem.size_bytes);
  if (operation.lateness != nullptr) *operation.lateness = driver.lateness();
  return error;
}

void make_scratch(const Schedule& schedule, const PartLayout* sizes, BlockMemory& memory) {
  const std::int32_t blocks = schedule.block_count[static_cast<std::size_t>(Buffer::scratch)];
  if (blocks == 0) return;
  if (sizes == nullptr || std::ranges::any_of(schedule.operations, &Operation::carries_sizes)) {
    memory.make_unsized_scratch(blocks);
  } else {
    memory.make_scratch(blocks, *sizes);
  }
}

}  // namespace

int run_operation(const CollectiveOperation& operation, BlockMemory& memory, const Members& members,
                  std::int32_t rank) {
  const Algorithm& algorithm = *operation.choice.algorithm;
  if (algorithm.form == Algorithm::Form::protocol) {
    return run_protocol(operation, memory, members, rank);
  }
  const auto schedule =
      operation.schedule != nullptr
          ? operation.schedule
          : schedule_cache().find_or_make({&algorithm, members.size, members.relative(rank),
                                           operation.blocks, operation.choice.values});
  make_scratch(*schedule, operation.scratch_sizes, memory);
  ScheduleExecution execution(*schedule, operation.window, operation.tag);
  return Driver(execution, memory, members, operation.waiting, operation.recording,
                operation.combining, operation.lead)
      .run(name_of(operation));
}

}  // namespace anabranch::mpi
