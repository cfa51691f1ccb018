// One collective under way on one rank: completions in, actions out.
//
// Pure: no MPI, no clock, no buffers. Whoever drives it performs the actions (with real messages in
// mpi/, in simulated time in model/, symbolically in verify/) and reports each as complete, in any
// order. So what is verified and priced is what runs, and a non-blocking collective is the same
// object advanced from somewhere else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "evidence/evidence.hpp"
#include "schedule/schedule.hpp"

namespace anabranch {

// Names an action until it is complete; reused afterwards.
using Ticket = std::uint32_t;

struct Action {
  enum class Kind : std::uint8_t {
    send,            // the blocks to the peer
    receive,         // from the peer into the blocks
    receive_bounce,  // from the peer into memory of the driver's, kept under the ticket
    reduce_local,    // what was received under the ticket with the blocks; then it is complete
    copy,            // blocks to blocks of this rank, or combined with those
    // Of protocols, which find out on the way who does what (protocol.hpp):
    end,              // a message without blocks, which ends a sequence of sends to the peer
    send_control,     // control messages to the peer, apart from the blocks
    receive_control,  // control messages from the peer or from anybody
    wait,             // for some time
  };
  static constexpr std::int32_t anybody = -2;  // a peer

  Kind kind = Kind::send;
  OperandOrder order = OperandOrder::mine_first;
  bool carries_sizes = false;
  bool combines = false;        // a copy: its sources with what the blocks hold, sources first
  bool may_end = false;         // a receive whose sender may send an end instead
  bool is_synchronous = false;  // a send that is not complete before the peer receives it
  bool is_exclusive = false;    // an exclusive send; the same if it is long
  std::int32_t peer = -1;       // relative to the root
  std::int32_t tag = 0;
  std::int32_t round = 0;
  Ticket ticket = 0;
  std::span<const BlockSet> block_sets;
  std::span<const BlockSet> sources;  // of a copy
  std::int32_t block_shift = 0;       // to be added to each block of `block_sets`
  std::uint32_t operation = 0;        // for reports: index and instance in the schedule
  std::int32_t iteration = 0;
  std::span<const std::int32_t>
      control;  // of a send_control; valid until the next action is asked for
  std::int32_t max_control_length = 0;  // of a receive_control
  double wait_s = 0;

  // Of a send of so many bytes: complete once the peer has received it, and not before.
  bool completes_at_peer(std::int64_t size_bytes) const {
    return is_synchronous || (is_exclusive && size_bytes > tuned::exclusive_send.value);
  }
};

// How much may be under way at once.
struct Window {
  static constexpr std::int32_t maximum = 64;
  std::int32_t receives = 16;  // posted beforehand, 1 to maximum
  std::int32_t sends = 4;      // not yet complete, 1 to maximum
  // Every so many sends to a peer one is complete when the peer receives it, not when the MPI has
  // taken it: so the window also bounds what waits in the sender's port. 0: none.
  std::int32_t synchronous_every = 0;
};

class Execution {
 public:
  virtual ~Execution() = default;

  // Fills in an action that may start now. False where there is none before a completion.
  virtual bool next(Action& action) = 0;

  // What was started under the ticket is complete. A receive_bounce is followed by a reduce_local
  // under the same ticket, once the blocks may be changed.
  virtual void complete(Ticket ticket) = 0;

  // Instead of complete: of a receive_control, and of a receive that met an end.
  virtual void control_received(Ticket, std::int32_t /*peer*/,
                                std::span<const std::int32_t> /*control*/) {
    throw std::logic_error("this execution receives no control messages");
  }
  virtual void ended(Ticket) { throw std::logic_error("this execution expects no end"); }

  // Waits may still be under way then, and receives of control messages that are still to come.
  virtual bool done() const = 0;

  // How many control messages will still come when it is done, from anybody.
  virtual std::int32_t pending_control_messages() const { return 0; }

  // What the rank does, where that is known beforehand; else null.
  virtual const Schedule* schedule() const { return nullptr; }

  // Blocks of scratch that it needs.
  virtual std::int32_t scratch_blocks() const { return 0; }

  // Who has arrived last so far, as far as this rank knows; relative to the root, or -1.
  virtual std::int32_t last_arrived() const { return -1; }

  // From whom control messages are still to come where they are taken from anybody; relative to the
  // root.
  virtual std::vector<std::int32_t> awaited_ranks() const { return {}; }

  // Of a protocol that is over: whether one group served all ranks. All of them say the same.
  virtual bool served_all_together() const { return false; }

  // To explore what could happen: a copy that goes on by itself, and what tells its state apart
  // from others of the same collective and rank.
  virtual std::unique_ptr<Execution> clone() const = 0;
  virtual void describe_state(std::vector<std::int32_t>& state) const = 0;
};

}  // namespace anabranch
