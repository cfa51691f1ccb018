#include "algorithms/instantiate.hpp"

#include <stdexcept>
#include <string>

#include "algorithms/ordered_root.hpp"
#include "execution/schedule_execution.hpp"

namespace anabranch {
namespace {

[[noreturn]] void refuse(const Algorithm& algorithm, const std::string& why) {
  throw std::invalid_argument(std::string(algorithm.id) + why);
}

void check(const Algorithm& algorithm, const Group& group) {
  if (!algorithm.runs_on(group.ranks)) {
    refuse(algorithm, " cannot run on " + std::to_string(group.ranks) + " ranks");
  }
  if (algorithm.needs_nodes && (!group.places || group.places->node_of_rank().empty())) {
    refuse(algorithm, " needs the nodes of the ranks");
  }
  if (algorithm.needs_plan && (!group.places || group.places->plan() == nullptr)) {
    refuse(algorithm, " needs a plan for the hosts of the ranks");
  }
}

// Schedules count ranks from the root, so operands keep the order of absolute ranks only where
// rank 0 is the root.
bool needs_ordered_root(const Algorithm& algorithm, const Group& group) {
  return group.keeps_operand_order && group.root != 0 && !algorithm.commutative_only &&
         algorithm.collective == Collective::reduce;
}

// What tells the schedules of one algorithm apart, and no more: most serve every root.
ScheduleCache::Key key_of(const Choice& choice, const Group& group, std::int32_t blocks) {
  const Algorithm& algorithm = *choice.algorithm;
  ScheduleCache::Key key{&algorithm, group.ranks, group.rank, blocks, choice.values};
  const bool goes_by_place = algorithm.needs_nodes || algorithm.needs_plan;
  if (goes_by_place && group.places) key.places = group.places->fingerprint();
  key.keeps_operand_order = needs_ordered_root(algorithm, group);
  if (goes_by_place || key.keeps_operand_order) key.root = group.root;
  return key;
}

}  // namespace

Schedule make_schedule(const Algorithm& algorithm, const Group& group, std::int32_t blocks,
                       Values values) {
  const auto* make = std::get_if<MakeSchedule>(&algorithm.make);
  if (make == nullptr) refuse(algorithm, " has no schedule of its own");
  check(algorithm, group);
  if (needs_ordered_root(algorithm, group)) {
    return ordered_reduction(*make, group, blocks, values);
  }
  return (*make)(group, blocks, values);
}

std::shared_ptr<const Schedule> find_schedule(const Choice& choice, const Group& group,
                                              std::int32_t blocks, ScheduleCache* cache) {
  if (!choice.algorithm->has_schedule()) return nullptr;
  const auto made = [&] { return make_schedule(*choice.algorithm, group, blocks, choice.values); };
  if (cache == nullptr) return std::make_shared<const Schedule>(made());
  return cache->find_or_make(key_of(choice, group, blocks), made);
}

std::unique_ptr<Execution> instantiate(const Choice& choice, const Group& group,
                                       std::int32_t blocks, const Conditions& conditions) {
  const Algorithm& algorithm = *choice.algorithm;
  if (algorithm.is_policy()) {
    return instantiate(resolve(choice, conditions.problem), group, blocks, conditions);
  }
  if (algorithm.is_native()) return nullptr;
  if (const auto* make = std::get_if<MakeProtocol>(&algorithm.make)) {
    check(algorithm, group);
    return (*make)(group, blocks, choice.values, conditions);
  }
  return std::make_unique<ScheduleExecution>(find_schedule(choice, group, blocks, conditions.cache),
                                             conditions.window, conditions.tag);
}

}  // namespace anabranch
