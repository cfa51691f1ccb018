// Drives an execution with real messages.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "execution/execution.hpp"
#include "mpi/mail.hpp"
#include "mpi/memory.hpp"
#include "mpi/recording.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {

// The ranks of one operation: relative ranks count from the root.
struct Members {
  MPI_Comm channel = MPI_COMM_NULL;  // private, with MPI_ERRORS_RETURN
  std::int32_t size = 1;
  std::int32_t root = 0;
  std::int32_t absolute(std::int32_t relative) const {
    const std::int32_t rank = relative + root;
    return rank < size ? rank : rank - size;
  }
  std::int32_t relative(std::int32_t rank) const {
    return rank < root ? rank - root + size : rank - root;
  }
};

// What the root of a protocol saw: who came last, and when, s after the root began.
struct Lateness {
  std::int32_t rank = -1;  // absolute; -1: not known
  double arrival_s = 0;
  double end_s = 0;  // of the root's part
};

class Driver {
 public:
  // `operation` is what reductions combine with.
  Driver(Execution& execution, BlockMemory& memory, const Members& members, const Waiting& waiting,
         Recording* recording, MPI_Op operation = MPI_OP_NULL)
      : execution_(execution),
        memory_(memory),
        members_(members),
        waiter_(waiting),
        recording_(recording),
        operation_(operation) {}
  // Where the execution or memory failed: no request is left behind.
  ~Driver() { release(MPI_SUCCESS); }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Until the execution is done. An MPI error code. After an error no request is left behind.
  // `name` is what the watchdog calls the operation.
  int run(const std::string& name);

  // After run: leaves to `mail` the words that will still come. `bytes_each` as in Mail::expect.
  void hand_over(Mail& mail, std::int64_t bytes_each);
  const Lateness& lateness() const { return lateness_; }

 private:
  struct Pending {
    Ticket ticket;
    Action::Kind kind;
    std::int32_t peer;
    std::int32_t tag;
    std::int32_t round;
    bool may_end = false;
    double begin_s = 0;  // these two for the recording
    std::int64_t size_bytes = 0;
    std::vector<std::int32_t> words = {};
    // Of a message that has brought its sizes: the whole of it, and where its blocks belong.
    Piece sized = {};
    std::span<const BlockSet> parts = {};
    std::int32_t shift = 0;
  };
  // Kept under a ticket until it is combined.
  struct Temporary {
    char* address = nullptr;
    std::int64_t room = 0;
  };
  // A hear from anybody.
  struct Listening {
    bool is_on = false;
    Ticket ticket = 0;
    std::int32_t tag = 0;
  };
  struct Timer {
    Ticket ticket;
    double due_s;
  };

  int start_all();
  int start(const Action& action);
  void find_pieces(const Action& action);
  int start_send(const Action& action);
  int start_receive(const Action& action);
  void use_temporary(Ticket ticket);
  int finish_combining(const Action& action);
  bool waits_for_sizes(std::int32_t peer) const;
  int look_for_sizes(int& completed);
  int start_words(const Action& action);
  int finish(const Pending& pending, const MPI_Status& status);
  void record(const Pending& pending, Action::Kind kind);
  int listen(int& completed);
  void note_arrival();
  Pending pending_of(const Action& action) const;
  void make_room();
  void post(MPI_Request request, Pending pending);
  bool ring_timers();
  int collect(int& completed);
  int release(int error) noexcept;
  static std::string text_of(const Pending& pending);
  void report(const std::string& name) const;

  Execution& execution_;
  BlockMemory& memory_;
  const Members& members_;
  Waiter waiter_;
  Recording* recording_;
  MPI_Op operation_;
  std::vector<Piece> pieces_;             // of the action being started
  std::vector<Temporary> temporaries_;    // by ticket
  std::vector<Action> not_yet_received_;  // sizes come along, and what follows from the same peers
  // Parallel arrays, as MPI_Testsome wants its requests.
  std::vector<MPI_Request> requests_;
  std::vector<Pending> pending_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Timer> timers_;
  Listening listening_;
  std::vector<std::int32_t> words_;
  Lateness lateness_;
  double begin_s_ = 0;
};

}  // namespace anabranch::mpi
