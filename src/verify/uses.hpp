// Proves that uses of a block which must not meet are kept apart by what an Execution waits for, in
// every order in which completions may come, with any window: dependencies, messages, and the order
// in which receives, and sends to one peer, are started. Runs over a network can only sample this.
#pragma once

#include "verify/program.hpp"

namespace anabranch::verify {

// Throws Violation (Fault::unordered) for a block that may be written while another operation of
// the same rank, that comes before it or after it in the schedule, reads or writes it.
void check_uses_are_ordered(const Program& program);

}  // namespace anabranch::verify
