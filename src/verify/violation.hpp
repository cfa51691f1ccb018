// Why a schedule is refused: the kind of fault, and one sentence for a person.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace anabranch::verify {

enum class Fault : std::uint8_t {
  malformed,       // not a schedule: wrong rank, sizes of buffers, repeats, copies
  peer,            // a peer that is no rank, or the rank itself
  block_range,     // a block outside its buffer
  round_range,     // a round outside the schedule, or not the same number of rounds everywhere
  never_received,  // a message without a receive
  never_sent,      // a receive without a message
  rounds_differ,   // sent in one round, received in another
  mismatch,        // sender and receiver disagree about the blocks of a message
  not_held,        // a block used before it is there
  combined_twice,  // an operand would go into a result twice
  overwritten,     // a block overwritten while it is still needed, or within one round twice
  unordered,       // nothing keeps two uses of a block apart that must not meet
  size_unknown,    // received without knowing how long it is
  result,          // at the end a block is missing, wrong, or in the wrong order
  deadlock,        // nobody can go on
  wrong_call,      // a message reached another call than the one it was sent for
  one_port,        // more than one send or receive of a rank in a round, where that was asked for
  disagreement,    // ranks of a call know differently whether one group served all
  redundant,       // a block received that was there before, where that was asked for
};

std::string_view name_of(Fault fault);

// For sentences: "rank 3".
inline std::string rank_text(std::int32_t rank) { return "rank " + std::to_string(rank); }

class Violation : public std::runtime_error {
 public:
  Violation(Fault fault, const std::string& sentence)
      : std::runtime_error(sentence), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace anabranch::verify
