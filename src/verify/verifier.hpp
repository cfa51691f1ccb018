// Holds the schedules of all ranks to the meaning of their collective: what can be seen at once,
// the sequential meaning round by round, that no order of completions lets two uses of a block
// meet, and runs of the very Execution objects that the drivers use over symbolic networks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/semantics.hpp"
#include "execution/execution.hpp"
#include "schedule/schedule.hpp"
#include "verify/lockstep.hpp"
#include "verify/network.hpp"

namespace anabranch::verify {

// How ranks and network behave in one run.
struct Behaviour {
  enum class Order : std::uint8_t { first_in_first_out, last_in_first_out, random, slow_rank };
  Sends sends = Sends::synchronous;
  Window window{1, 1};
  Order order = Order::first_in_first_out;
  std::uint64_t seed = 0;      // of a random order
  std::int32_t slow_rank = 0;  // modulo the number of ranks

  std::string text() const;
};

// From the strictest (synchronous sends, windows of 1) to the loosest, in all kinds of order.
std::span<const Behaviour> default_behaviours();

std::unique_ptr<Order> make_order(const Behaviour& behaviour, std::int32_t ranks);

struct Demands {
  bool operand_order = true;  // results of MPI_Ops that do not commute are right as well
  bool one_port = false;      // at most one send and one receive per rank and round
  bool no_redundant = false;  // nobody receives what it has
};

// `schedules` by relative rank. Throws Violation.
Counts check(std::span<const Schedule> schedules, const Semantics& semantics,
             const Demands& demands, std::span<const Behaviour> behaviours);

// All messages of the operation, by round, then receiver. Throws Violation.
std::vector<Message> messages_of(std::span<const Schedule> schedules, const Semantics& semantics);

// One collective among several on a communicator.
struct CollectiveCase {
  std::span<const Schedule> schedules;  // by relative rank
  Semantics semantics;
};

// All ranks call all collectives in this order on tags 0 to `tag_upper_bound`, used again and
// again; each begins one only when all those `in_flight` or more before it are over. Throws
// Violation.
void run_collectives(std::span<const CollectiveCase> collectives, const Demands& demands,
                     Sends sends, Window window, Order& order, std::int32_t tag_upper_bound,
                     std::int32_t in_flight);

// The same in an order as the behaviour says.
void run_collectives(std::span<const CollectiveCase> collectives, const Demands& demands,
                     const Behaviour& behaviour, std::int32_t tag_upper_bound = 0,
                     std::int32_t in_flight = 1);

}  // namespace anabranch::verify
