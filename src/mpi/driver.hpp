// Drives an execution with real messages.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "execution/execution.hpp"
#include "mpi/mail.hpp"
#include "mpi/memory.hpp"
#include "mpi/recording.hpp"
#include "mpi/sized_messages.hpp"
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

// Of an operation whose size the root tells in all of its messages, and what a rank has taken in to
// learn it: the first message from whoever sent it.
struct Lead {
  std::int64_t total_bytes = 0;
  Piece first;                   // without an address where there is none, as at the root
  std::int32_t first_peer = -1;  // absolute
  double begin_s = 0;            // when the rank began to wait for it, by the wall's clock
};

// One line on stderr: that, and where, a rank waits. `what` begins with a blank.
void report_no_progress(const Members& members, const std::string& name, const std::string& what);

class Driver {
 public:
  // `operation` is what reductions combine with; `lead` is null where nothing is told.
  Driver(Execution& execution, BlockMemory& memory, const Members& members, const Waiting& waiting,
         Recording* recording, MPI_Op operation = MPI_OP_NULL, const Lead* lead = nullptr)
      : execution_(execution),
        memory_(memory),
        members_(members),
        waiter_(waiting),
        recording_(recording),
        operation_(operation),
        lead_(lead) {}
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
    // Of a message that begins with a header: the whole of it, and where its blocks belong.
    Piece sized = {};
    Telling telling = {};
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
  int join_pieces(std::int32_t tag);
  int start_receive(const Action& action);
  void use_temporary(Ticket ticket);
  int finish_combining(const Action& action);
  bool has_header(const Action& action) const { return action.carries_sizes || lead_ != nullptr; }
  Telling telling_of(const Action& action) const;
  bool waits_for_header(std::int32_t peer) const;
  int look_for_headers(int& completed);
  int take_message(const Action& action, bool& is_there);
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
  const Lead* lead_;
  bool first_is_taken_ = false;           // the lead's first message
  std::vector<Piece> pieces_;             // of the action being started
  std::vector<Temporary> temporaries_;    // by ticket
  std::vector<Action> not_yet_received_;  // with a header, and what follows from the same peers
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
