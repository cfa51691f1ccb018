// One collective operation under way on one rank: completions in, actions out.
//
// Pure: no MPI, no clock, no buffers. Whoever drives it performs the actions (with real messages in
// mpi/, in simulated time in model/, symbolically in verify/) and reports each as complete, in any
// order. So what is verified and priced is what runs, and a non-blocking operation is the same
// object advanced from somewhere else.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/schedule.hpp"

namespace anabranch {

// Names an action until it is complete; reused afterwards.
using Ticket = std::uint32_t;

struct Action {
  enum class Kind : std::uint8_t {
    send,               // the blocks to the peer
    receive,            // from the peer into the blocks
    receive_temporary,  // from the peer into memory of the driver's, kept under the ticket
    combine,            // what was received under the ticket with the blocks; then it is complete
    copy,               // blocks to blocks of this rank
  };
  Kind kind = Kind::send;
  OperandOrder order = OperandOrder::mine_first;
  bool carries_sizes = false;
  std::int32_t peer = -1;  // relative to the root
  std::int32_t tag = 0;
  std::int32_t round = 0;
  Ticket ticket = 0;
  std::span<const BlockSet> parts;
  std::span<const BlockSet> sources;  // of a copy
  std::int32_t block_shift = 0;       // to be added to each block of `parts`
  std::uint32_t operation = 0;        // for reports: index and instance in the schedule
  std::int32_t iteration = 0;
};

// How much may be under way at once.
struct Window {
  static constexpr std::int32_t maximum = 64;
  std::int32_t receives = 16;  // posted beforehand, 1 to maximum
  std::int32_t sends = 4;      // not yet complete, 1 to maximum
};

class Execution {
 public:
  virtual ~Execution() = default;

  // Fills in an action that may start now. False where there is none before a completion.
  virtual bool next(Action& action) = 0;

  // What was started under the ticket is complete. A receive_temporary is followed by a combine
  // under the same ticket, once the blocks may be changed.
  virtual void complete(Ticket ticket) = 0;

  virtual bool done() const = 0;
};

}  // namespace anabranch
