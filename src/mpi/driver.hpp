// Drives an execution with real messages: starts the actions that it yields and tells it of those
// that are complete.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "execution/execution.hpp"
#include "mpi/call.hpp"
#include "mpi/memory.hpp"
#include "mpi/pending_control.hpp"
#include "mpi/recording.hpp"
#include "mpi/sized_receives.hpp"
#include "mpi/timers.hpp"
#include "mpi/transport.hpp"

namespace anabranch::mpi {

// What the root of a protocol saw: who came last, and when, s after the root began.
struct ArrivalSkew {
  std::int32_t rank = -1;  // absolute; -1: not known
  double arrival_s = 0;
  double end_s = 0;  // when the root was through
};

// All of these must outlive the driver.
struct Driven {
  Execution& execution;
  BlockMemory& memory;
  const ProcessGroup& group;
  MPI_Op op = MPI_OP_NULL;                   // what reductions combine with
  const AnnouncedSize* announced = nullptr;  // null: the root announces no size
  Recording* recording = nullptr;
};

class Driver {
 public:
  explicit Driver(const Driven& driven) : Driver(driven, driven.recording != nullptr) {}
  // Where the execution or memory failed: no request is left behind.
  ~Driver() { release(); }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Starts what can start. An MPI error code, after which the driver is good for nothing.
  int start();
  // Takes in what has come, and starts what can start then; `moved` is set where something came.
  int advance(bool& moved);
  bool done() const { return driven_.execution.done(); }

  // Once it is done: leaves to `pending_control` the control messages that will still come.
  // `bytes_each` as in PendingControl::expect.
  void hand_over(PendingControl& pending_control, std::int64_t bytes_each);
  ArrivalSkew skew() const;

  // For the watchdog: " receives from rank 3 (round 7) ..".
  std::string waits_for() const;

 private:
  Driver(const Driven& driven, bool is_recorded)
      : driven_(driven), transport_(driven.group, is_recorded), sized_receives_(driven.announced) {}

  // A receive of a control message from any source.
  struct AnySourceReceive {
    bool is_on = false;
    Ticket ticket = 0;
    std::int32_t tag = 0;
  };
  // Kept under a ticket until it is combined.
  struct BounceBuffer {
    char* address = nullptr;
    std::int64_t room = 0;
  };

  int start(const Action& action);
  int start_control(const Action& action);
  void find_iovecs(const Action& action);
  int start_send(const Action& action);
  int join_iovecs(std::int32_t tag);
  int start_receive(const Action& action);
  void use_bounce_buffer(Ticket ticket);
  int reduce_locally(const Action& action);
  int copy(const Action& action);
  int receive_sized_message(const Action& action, bool& is_there);
  int finish(const Pending& pending, const MPI_Status& status);
  int finish_control(const Pending& pending, const MPI_Status& status);
  void record(const Pending& pending, Action::Kind kind);
  int probe_any_source(bool& moved);
  void note_arrival();
  Pending pending_of(const Action& action, std::int64_t size_bytes) const;
  void release() noexcept;
  static std::string text_of(const Pending& pending);
  std::string awaited_ranks() const;

  Driven driven_;
  Transport transport_;
  SizedReceives sized_receives_;
  Timers timers_;
  AnySourceReceive any_source_;
  std::vector<Iovec> iovecs_;                 // of the action being started
  std::vector<BounceBuffer> bounce_buffers_;  // by ticket
  std::vector<std::int32_t> control_;
  ArrivalSkew skew_;
  double begin_s_ = 0;
};

}  // namespace anabranch::mpi
