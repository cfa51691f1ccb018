// Paper A's model of a broadcast, exactly: who arrives when, what moves at rate one, who leaves.
//
// Process 0 is the root. Times are in units of T, the time of the whole message, and the message is
// the interval [0, 1). A transfer moves at rate 1, or keeps up with what its sender is receiving
// itself (cut-through), so each rate is 0 or 1 and everything is linear between events: arrivals,
// ends of transfers, and moments that a policy names. Event times are computed in closed form;
// there are no time steps. One-port, full-duplex: a process sends to at most one and receives from
// at most one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace anabranch::fluid {

using Rank = std::int32_t;
inline constexpr Rank root = 0;

// When a transfer may run, besides the sender having arrived and not left.
enum class Model : std::uint8_t {
  blocking,     // while the receiver is in the operation as well
  nonblocking,  // also to one that has not arrived: the data wait there for it
};

// Moments, and places in the message, closer than this are one; relative to the time since the
// root arrived, for that is what rounding errors grow with.
inline constexpr double same = 1e-12;

// What lies in [first, last) of the message.
struct Piece {
  double first = 0;
  double last = 0;
};

// From the receiver's prefix on, unless a piece is named: what is left of it is sent in order.
struct Transfer {
  Rank src = 0;
  Rank dst = 0;
  Piece piece = {-1, -1};
};

// Throws std::invalid_argument where the arrivals are none, or no finite times.
void check_arrivals(std::span<const double> arrivals);

// What processes hold, who is there. Policies read it, the simulator writes it.
class State {
 public:
  State(Model model, std::span<const double> arrivals);

  Model model() const { return model_; }
  Rank ranks() const { return static_cast<Rank>(processes_.size()); }
  double now() const { return now_; }  // since the root arrived
  double tolerance() const { return same * (now_ > 1 ? now_ : 1); }

  bool arrived(Rank rank) const { return of(rank).arrived; }
  bool left(Rank rank) const { return of(rank).left; }
  bool present(Rank rank) const { return of(rank).arrived && !of(rank).left; }
  // Whether data may be sent to it.
  bool reachable(Rank rank) const {
    return !of(rank).left && (of(rank).arrived || model_ == Model::nonblocking);
  }
  // How much it has without a gap, from the start of the message on.
  double prefix(Rank rank) const { return of(rank).prefix; }
  bool complete(Rank rank) const { return of(rank).prefix >= 1; }
  // Whether the first has something that the second lacks.
  bool is_ahead(Rank rank, Rank of_rank) const {
    return prefix(rank) > prefix(of_rank) + tolerance();
  }
  const std::vector<Piece>& pieces(Rank rank) const { return of(rank).pieces; }

  // In the order in which they arrived, those of one moment by rank; the root is first.
  std::span<const Rank> order_of_arrival() const { return order_; }

 private:
  friend class Simulator;
  struct Process {
    double arrival = 0;  // since the root's; none is before it
    double exit = 0;
    bool arrived = false;
    bool left = false;
    double prefix = 0;
    std::vector<Piece> pieces;  // ascending, none touches the next
  };

  const Process& of(Rank rank) const { return processes_[static_cast<std::size_t>(rank)]; }
  Process& of(Rank rank) { return processes_[static_cast<std::size_t>(rank)]; }

  Model model_;
  double now_ = 0;
  std::vector<Process> processes_;
  std::vector<Rank> order_;
};

// An algorithm: asked at every event. It is told nothing of the future.
class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  // Whether a process that is present leaves now. Asked before `transfers`, by rank.
  virtual bool may_leave(const State& state, Rank rank) = 0;

  // Who sends to whom from now on, until the next event. Returns after which time it wants to be
  // asked even if nothing happens before (infinity: not at all).
  virtual double transfers(const State& state, std::vector<Transfer>& wanted) = 0;
};

// One piece that moved at rate one without interruption.
struct Movement {
  Rank src = 0;
  Rank dst = 0;
  Piece piece;
  double start = 0;
  double end = 0;
};

struct Outcome {
  std::vector<double> arrivals;  // as given
  std::vector<double> exits;     // on the clock of the arrivals
  double total = 0;              // sum over the processes of exit - arrival
  double waiting = 0;            // of it, before the root was there
  std::int64_t events = 0;
  std::vector<Movement> movements;  // by end; only with a trace

  double average() const { return total / static_cast<double>(exits.size()); }
  double worst() const;
};

// Runs a policy. Processes that are there before the root are taken to arrive with it, and their
// wait is added (paper A, section 3.1). Throws std::invalid_argument as check_arrivals, and where
// the policy does what the model forbids: sends what it has not got, sends or receives twice at
// once, sends to who is not there, leaves without the message, or deadlocks.
Outcome simulate(Policy& policy, std::span<const double> arrivals, Model model, bool trace = false);

// Bounds on the total time of the best algorithm, waiting for the root included.
struct Bounds {
  double lower = 0;  // blocking: n + max(0, Delta - (n-1)/2); non-blocking: n - 1
  double upper = 0;  // what nearopt needs at most (lemma 1): n + Delta; n
};
Bounds bounds_of(std::span<const double> arrivals, Model model);

}  // namespace anabranch::fluid
