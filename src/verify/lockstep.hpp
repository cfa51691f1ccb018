// Carries out a program round by round, as its sequential meaning says: all messages of a round at
// the same time, so that what a rank sends in a round it must have before the round. Copies take
// place where they are listed. Checks blocks, values, sizes and the result, and counts.
#pragma once

#include <cstdint>
#include <vector>

#include "verify/operands.hpp"
#include "verify/program.hpp"

namespace anabranch::verify {

struct Counts {
  std::int32_t rounds = 0;
  std::int64_t transfers = 0;         // messages
  std::int64_t blocks_moved = 0;      // blocks in all messages
  std::int64_t redundant_blocks = 0;  // of those, the ones that the receiver had before
  std::int32_t scratch_blocks = 0;    // of the rank that has most
  // The most messages that one rank sends, or receives, in one round.
  std::int32_t sends_in_a_round = 0;
  std::int32_t receives_in_a_round = 0;
  std::vector<std::int32_t> sends;  // messages, by absolute rank
  std::vector<std::int32_t> receives;
};

// One message; ranks are absolute.
struct Message {
  std::int32_t round = 0;
  std::int32_t src = 0;
  std::int32_t dst = 0;
  bool reduces = false;              // the receiver combines it with what it has
  std::vector<std::int32_t> pieces;  // what it carries, in its order; see Semantics
};

// Throws Violation. One-port and redundancy are counted, not refused. Appends all messages to those
// given, by round, then receiver.
Counts run_in_lockstep(const Program& program, Operands& operands,
                       std::vector<Message>* messages = nullptr);

}  // namespace anabranch::verify
