// Verifies protocols, which find out on the way who does what. No schedule says beforehand what
// they do, so all that could happen is tried, for few ranks, and much of it for more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "verify/network.hpp"

namespace anabranch::verify {

// Calls that follow each other on one communicator, one for each root; 0 where there is none.
struct ProtocolCase {
  const Algorithm& algorithm;
  std::vector<std::int64_t> values;
  std::int32_t ranks = 2;
  std::int32_t blocks = 1;
  std::vector<std::int32_t> roots = {0};
  Window window;
  Sends sends = Sends::eager;
  std::shared_ptr<const Places> places = nullptr;  // null: nobody knows
};

// Puts something in place of an execution, to make mutants; relative rank, number of the call.
using Replace = std::function<std::unique_ptr<Execution>(std::unique_ptr<Execution>, std::int32_t,
                                                         std::size_t)>;

// One order of everything that happens. Throws Violation.
void run_protocol(const ProtocolCase& what, Order& order, const Replace& replace = nullptr);

struct Exploration {
  std::int64_t max_states = 1'000'000;
  // Leaves out orders that end like one that is tried (network_choices.cpp).
  bool is_reduced = true;
  // Counts ends by who served whom, and so keeps apart states that differ in what is over alone.
  bool tells_ends_apart = false;
};

struct Explored {
  std::int64_t states = 0;
  std::int64_t steps = 0;
  std::int64_t ends = 0;        // states in which all was done
  std::uint64_t ends_hash = 0;  // of all of them
  bool is_complete = true;      // false: there were more than `max_states`
};

// Every order of arrivals and deliveries. Throws Violation with what led to it.
Explored explore_protocol(const ProtocolCase& what, const Exploration& how,
                          const Replace& replace = nullptr);

// One mistake in one execution.
struct Mistake {
  enum class Kind : std::uint8_t {
    drop_control,       // not sent
    repeat_control,     // sent twice
    retarget_control,   // sent to the next rank
    change_control,     // its last number is one more
    drop_send,          // not sent
    repeat_send,        // sent twice
    retarget_send,      // sent to the next rank
    drop_end,           // not sent
    forget_completion,  // of a receive: the protocol is told of an end
    deny_group,         // in the end it says that no group served all ranks
    claim_group,        // .. that one did
  };
  Kind kind = Kind::drop_control;
  std::int32_t rank = 0;    // relative
  std::int32_t number = 0;  // of the action of that kind, from 0
};
// The replacement that makes the mistake, in the first call. `made` becomes true when it was
// made.
Replace with_mistake(const Mistake& mistake, std::int32_t ranks, bool& made);

}  // namespace anabranch::verify
