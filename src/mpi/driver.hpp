// Drives an execution with real messages.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "execution/execution.hpp"
#include "mpi/datatype.hpp"
#include "mpi/mail.hpp"
#include "mpi/recording.hpp"
#include "mpi/waiting.hpp"
#include "schedule/layout.hpp"

namespace anabranch::mpi {

// Where the blocks of one operation lie. Indexed by Buffer.
struct BlockMemory {
  std::array<char*, 3> base = {nullptr, nullptr, nullptr};
  std::array<const Layout*, 3> layout = {nullptr, nullptr, nullptr};
};

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

// Broadcasts bytes from the root to all members; `rank` is absolute, and `blocks` is how many the
// choice cuts them into. All members call it alike. An MPI error code.
struct BroadcastPlan {
  const Choice& choice;
  const Problem& problem;
  std::int32_t blocks = 1;
  std::int32_t tag = 0;
  Window window;
  Waiting waiting;
  Mail& mail;
  Lateness* lateness = nullptr;  // filled in on the root of a protocol
  Recording* recording = nullptr;
  std::shared_ptr<const Schedule> schedule;  // null: the algorithm's own
};
int broadcast_bytes(char* bytes, const Members& members, std::int32_t rank,
                    const BroadcastPlan& plan);

class Driver {
 public:
  Driver(Execution& execution, const BlockMemory& memory, const Members& members,
         const Waiting& waiting, Recording* recording)
      : execution_(execution),
        memory_(memory),
        members_(members),
        waiter_(waiting),
        recording_(recording) {}

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
    std::int32_t round;
    bool may_end = false;
    double begin_s = 0;  // these two for the recording
    std::int64_t size_bytes = 0;
    std::vector<std::int32_t> words = {};
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
  int start_message(const Action& action);
  int start_words(const Action& action);
  int finish(const Pending& pending, const MPI_Status& status);
  void record(const Pending& pending, Action::Kind kind);
  int listen(int& completed);
  void note_arrival();
  void post(MPI_Request request, Pending pending);
  bool ring_timers();
  int copy(const Action& action);
  int collect(int& completed);
  int release(int error);
  void gather_pieces(std::span<const BlockSet> parts, std::int32_t shift);
  static std::string text_of(const Pending& pending);
  void report(const std::string& name) const;

  Execution& execution_;
  const BlockMemory& memory_;
  const Members& members_;
  Waiter waiter_;
  Recording* recording_;
  std::vector<Piece> pieces_;  // of the action being started
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
