#include "mpi/operation.hpp"

#include <algorithm>
#include <string>

#include "algorithms/instantiate.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {
namespace {

std::string name_of(const CollectiveOperation& operation) {
  return std::string(operation.choice.algorithm->id);
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
  if (const int error = operation.mail.look(members.channel)) return error;
  const Group group{.ranks = members.size,
                    .rank = members.relative(rank),
                    .root = members.root,
                    .keeps_operand_order = !operation.problem.commutative,
                    .places = operation.places};
  const auto execution = instantiate(operation.choice, group, operation.blocks,
                                     {.problem = operation.problem,
                                      .window = operation.window,
                                      .tag = operation.tag,
                                      .cache = &schedule_cache(),
                                      .pushed_bytes = operation.mail.pushed_bytes()});
  if (const Schedule* schedule = execution->schedule()) {
    make_scratch(*schedule, operation.scratch_sizes, memory);
  }
  Driver driver(*execution, memory, members, operation.waiting, operation.recording,
                operation.combining, operation.lead);
  const int error = driver.run(name_of(operation));
  driver.hand_over(operation.mail, operation.problem.size_bytes);
  if (operation.lateness != nullptr) *operation.lateness = driver.lateness();
  return error;
}

}  // namespace anabranch::mpi
