#include "verify/verifier.hpp"

#include <array>
#include <memory>

#include "collectives/relative_rank.hpp"
#include "execution/schedule_execution.hpp"
#include "execution/tags.hpp"
#include "verify/program.hpp"
#include "verify/uses.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

void check_demands(const Counts& counts, const Demands& demands) {
  if (demands.one_port && (counts.sends_in_a_round > 1 || counts.receives_in_a_round > 1)) {
    throw Violation(Fault::one_port, "a rank has " + std::to_string(counts.sends_in_a_round) +
                                         " sends or " + std::to_string(counts.receives_in_a_round) +
                                         " receives in one round");
  }
  if (demands.no_redundant && counts.redundant_blocks > 0) {
    throw Violation(Fault::redundant, std::to_string(counts.redundant_blocks) +
                                          (counts.redundant_blocks == 1
                                               ? " block reaches a rank that has it already"
                                               : " blocks reach ranks that have them already"));
  }
}

}  // namespace

std::unique_ptr<Order> make_order(const Behaviour& behaviour, std::int32_t ranks) {
  switch (behaviour.order) {
    case Behaviour::Order::first_in_first_out:
      return std::make_unique<FirstInFirstOut>();
    case Behaviour::Order::last_in_first_out:
      return std::make_unique<LastInFirstOut>();
    case Behaviour::Order::random:
      return std::make_unique<RandomOrder>(behaviour.seed);
    case Behaviour::Order::slow_rank:
      return std::make_unique<SlowRank>(behaviour.slow_rank % ranks);
  }
  return nullptr;
}

std::string Behaviour::text() const {
  std::string text = sends == Sends::eager ? "eager sends" : "synchronous sends";
  text += ", windows of " + std::to_string(window.receives) + " receives and " +
          std::to_string(window.sends) + " sends, ";
  switch (order) {
    case Order::first_in_first_out:
      return text + "first in first out";
    case Order::last_in_first_out:
      return text + "last in first out";
    case Order::random:
      return text + "random order " + std::to_string(seed);
    case Order::slow_rank:
      return text + "a slow rank";
  }
  return text;
}

std::span<const Behaviour> default_behaviours() {
  using enum Behaviour::Order;
  static constexpr std::array<Behaviour, 11> behaviours = {{
      {Sends::synchronous, {1, 1}, first_in_first_out, 0, 0},
      {Sends::eager, {Window::maximum, Window::maximum}, random, 1, 0},
      {Sends::synchronous, {1, 1}, slow_rank, 0, 1},
      {Sends::eager, {16, 4}, last_in_first_out, 0, 0},
      {Sends::synchronous, {16, 4}, first_in_first_out, 0, 0},
      {Sends::synchronous, {1, 1}, random, 2, 0},
      {Sends::eager, {1, 1}, slow_rank, 0, 0},
      {Sends::synchronous, {2, 3}, random, 3, 0},
      {Sends::synchronous, {1, 1}, last_in_first_out, 0, 0},
      {Sends::synchronous, {16, 2}, random, 4, 0},
      {Sends::eager, {16, 4}, slow_rank, 0, 2},
  }};
  return behaviours;
}

Counts check(std::span<const Schedule> schedules, const Semantics& semantics,
             const Demands& demands, std::span<const Behaviour> behaviours) {
  const Program program(schedules, semantics);
  Operands operands(demands.operand_order);
  Counts counts = run_in_lockstep(program, operands);
  check_demands(counts, demands);
  check_uses_are_ordered(program);
  const CollectiveCase one{schedules, semantics};
  for (const Behaviour& behaviour : behaviours) run_collectives({&one, 1}, demands, behaviour);
  return counts;
}

std::vector<Message> messages_of(std::span<const Schedule> schedules, const Semantics& semantics) {
  const Program program(schedules, semantics);
  Operands operands(false);
  std::vector<Message> messages;
  run_in_lockstep(program, operands, &messages);
  return messages;
}

void run_collectives(std::span<const CollectiveCase> collectives, const Demands& demands,
                     Sends sends, Window window, Order& order, std::int32_t tag_upper_bound,
                     std::int32_t in_flight) {
  if (collectives.empty()) return;
  const std::int32_t ranks = collectives.front().semantics.ranks();
  Operands operands(demands.operand_order);
  SymbolicNetwork network(ranks, sends, in_flight);
  TagSequence tags(tag_upper_bound);
  for (std::size_t number = 0; number < collectives.size(); ++number) {
    const CollectiveCase& one = collectives[number];
    const std::int32_t root = one.semantics.root();
    const std::int32_t tag = tags.next();
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const auto relative = static_cast<std::size_t>(relative_rank(rank, root, ranks));
      const Schedule& schedule = one.schedules[relative];
      Memory memory(one.semantics, rank,
                    schedule.block_count[static_cast<std::size_t>(Buffer::scratch)], operands);
      network.join(rank, static_cast<std::int32_t>(number), root,
                   std::make_unique<ScheduleExecution>(schedule, window, tag), std::move(memory));
    }
  }
  network.run(order);
}

void run_collectives(std::span<const CollectiveCase> collectives, const Demands& demands,
                     const Behaviour& behaviour, std::int32_t tag_upper_bound,
                     std::int32_t in_flight) {
  if (collectives.empty()) return;
  const auto order = make_order(behaviour, collectives.front().semantics.ranks());
  try {
    run_collectives(collectives, demands, behaviour.sends, behaviour.window, *order,
                    tag_upper_bound, in_flight);
  } catch (const Violation& violation) {
    throw Violation(violation.fault(), violation.what() + (" (" + behaviour.text() + ")"));
  }
}

}  // namespace anabranch::verify
