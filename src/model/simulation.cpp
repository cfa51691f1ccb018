#include "model/simulation.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "model/account.hpp"
#include "model/control_messages.hpp"
#include "model/flows.hpp"
#include "model/message_queues.hpp"
#include "model/message_size.hpp"
#include "model/tasks.hpp"

namespace anabranch {
namespace {

using Rank = std::int32_t;
using Index = MessageQueues::Index;
using Receipt = MessageQueues::Receipt;

// Events closer than this are one moment: sums of the same durations in another order must not
// decide which of two messages gets a port.
constexpr double same_moment = 1e-12;

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

struct Event {
  enum class Kind : std::uint8_t {
    arrival,
    leave,   // of a message, from the ports
    arrive,  // with the receiver
    control_message,
    time,
    end_of_task
  } kind;
  double time_s;
  Index index;
  bool operator>(const Event& other) const {
    return std::tie(time_s, index) > std::tie(other.time_s, other.index);
  }
};

class Simulation {
 public:
  Simulation(std::span<Execution* const> executions, const Layouts& layouts, const Machine& machine,
             const Circumstances& circumstances)
      : executions_(executions),
        layouts_(layouts),
        machine_(machine),
        flows_(machine.flows),
        arrival_s_(circumstances.arrival_s),
        ranks_(static_cast<Rank>(executions.size())),
        state_(executions.size()),
        queues_(ranks_, machine),
        account_(executions.size(), circumstances.trace) {
    arrival_s_.resize(executions.size(), 0.0);
    for (Rank rank = 0; rank < ranks_; ++rank) {
      events_.push({Event::Kind::arrival, arrival_s_[at(rank)], static_cast<Index>(rank)});
    }
  }

  Outcome run() {
    while (!events_.empty() || flowing_ > 0) {
      double now = pass_time();
      const double until = now + std::max(machine_.resolution_s, same_moment * std::max(now, -now));
      while (!events_.empty() && events_.top().time_s <= until) {
        const Event event = events_.top();
        events_.pop();
        now = event.time_s;
        happen(event);
      }
      take_in_received(now);
      for (std::size_t i = 0; i < touched_.size(); ++i) advance(touched_[i], now);
      touched_.clear();
      start_messages(now);
    }
    for (Rank rank = 0; rank < ranks_; ++rank) {
      if (state_[at(rank)].done) continue;
      throw std::runtime_error("deadlock: rank " + std::to_string(rank) + " of " +
                               std::to_string(ranks_) + " waits for a message that never starts");
    }
    return account_.finish(arrival_s_);
  }

 private:
  struct RankState {
    Mailbox mailbox;
    Tasks tasks;
    bool touched = false;  // among those to be advanced
    bool arrived = false;
    bool done = false;
  };

  // Until something happens; returns when.
  double pass_time() {
    constexpr double never = std::numeric_limits<double>::infinity();
    const double until_s = events_.empty() ? never : events_.top().time_s;
    if (flows_ == nullptr) return until_s;
    const double now = flows_->advance(until_s, ended_flows_);
    for (const Index message : ended_flows_) events_.push({Event::Kind::leave, now, message});
    flowing_ -= ended_flows_.size();
    ended_flows_.clear();
    return now;
  }

  void happen(const Event& event) {
    const auto rank = static_cast<Rank>(event.index);
    switch (event.kind) {
      case Event::Kind::arrival:
        state_[event.index].arrived = true;
        touch(rank);
        break;
      case Event::Kind::leave:
        leave(event.index, event.time_s);
        break;
      case Event::Kind::arrive:
        arrive(event.index, event.time_s);
        break;
      case Event::Kind::control_message:
        deliver(in_flight_[event.index], event.time_s);
        break;
      case Event::Kind::time: {
        const auto [waiting, ticket] = timers_[event.index];
        if (state_[at(waiting)].done) break;
        executions_[at(waiting)]->complete(ticket);
        touch(waiting);
        break;
      }
      case Event::Kind::end_of_task:
        finish_task(rank, event.time_s);
        break;
    }
  }

  // Keeps the rank busy, and performs the task then.
  template <typename One>
  void take_on(Rank rank, One task, double now) {
    if (machine_.overhead_s == 0) {
      perform(rank, task, now);
      return;
    }
    const double end_s = state_[at(rank)].tasks.add(std::move(task), now, machine_.overhead_s);
    events_.push({Event::Kind::end_of_task, end_s, static_cast<Index>(rank)});
  }

  void finish_task(Rank rank, double now) {
    Task task = state_[at(rank)].tasks.take();
    std::visit([&](auto& one) { perform(rank, one, now); }, task);
    touch(rank);
  }

  void perform(Rank rank, const Sending& sending, double) {
    queues_.send(rank, sending.dst, sending.send);
  }

  void perform(Rank rank, const Receipt& receipt, double) {
    if (receipt.is_end) {
      executions_[at(rank)]->ended(receipt.receive);
    } else {
      executions_[at(rank)]->complete(receipt.receive);
    }
    if (!receipt.completes_at_peer) return;
    executions_[at(receipt.src)]->complete(receipt.send);
    touch(receipt.src);
  }

  // Control messages take the latency and no port: they are short.
  void perform(Rank rank, ControlSend& telling, double now) {
    const double latency_s = machine_.between(rank, telling.message.dst, ranks_).latency_s;
    events_.push(
        {Event::Kind::control_message, now + latency_s, static_cast<Index>(in_flight_.size())});
    in_flight_.push_back(std::move(telling.message));
    executions_[at(rank)]->complete(telling.ticket);
  }

  void perform(Rank rank, const PostedReceive& posted, double) {
    executions_[at(rank)]->control_received(posted.ticket, posted.message.src,
                                            posted.message.control);
  }

  void deliver(ControlMessage& message, double now) {
    const Rank dst = message.dst;
    const auto ticket = state_[at(dst)].mailbox.deliver(message);
    if (!ticket) return;
    take_on(dst, PostedReceive{*ticket, std::move(message)}, now);
    touch(dst);
  }

  void touch(Rank rank) {
    if (!state_[at(rank)].touched) touched_.push_back(rank);
    state_[at(rank)].touched = true;
  }

  // Everything that the rank can start now.
  void advance(Rank rank, double now) {
    RankState& state = state_[at(rank)];
    state.touched = false;
    if (!state.arrived) return;
    Execution& execution = *executions_[at(rank)];
    Action action;
    while (execution.next(action)) {
      if (converse(rank, action, now)) continue;
      const bool local =
          action.kind == Action::Kind::copy || action.kind == Action::Kind::reduce_local;
      const std::int64_t bytes = local ? 0 : bytes_of(action, layouts_);
      if (bytes == 0) {
        execution.complete(action.ticket);
      } else if (action.kind == Action::Kind::send) {
        send(rank, action, bytes, now);
      } else if (const auto receipt = queues_.receive(action.peer, rank, action.ticket)) {
        take_on(rank, *receipt, now);
      }
    }
    if (execution.done() && !state.done) {
      state.done = true;
      account_.exit(rank, std::max(now, arrival_s_[at(rank)]));
    }
  }

  // What only protocols do.
  bool converse(Rank rank, const Action& action, double now) {
    switch (action.kind) {
      case Action::Kind::send_control:
        take_on(rank,
                ControlSend{action.ticket,
                            {rank, action.peer, {action.control.begin(), action.control.end()}}},
                now);
        return true;
      case Action::Kind::receive_control:
        if (auto message = state_[at(rank)].mailbox.receive_control(action.ticket, action.peer)) {
          take_on(rank, PostedReceive{action.ticket, *std::move(message)}, now);
        }
        return true;
      case Action::Kind::wait:
        events_.push({Event::Kind::time, now + action.wait_s, static_cast<Index>(timers_.size())});
        timers_.emplace_back(rank, action.ticket);
        return true;
      case Action::Kind::end:
        send(rank, action, 0, now);
        return true;
      default:
        return false;
    }
  }

  void send(Rank rank, const Action& action, std::int64_t size_bytes, double now) {
    const SimulatedSend send{.ticket = action.ticket,
                             .round = action.round,
                             .operation = action.operation,
                             .iteration = action.iteration,
                             .size_bytes = size_bytes,
                             .is_end = action.kind == Action::Kind::end,
                             .completes_at_peer = action.completes_at_peer(size_bytes)};
    take_on(rank, Sending{action.peer, send}, now);
  }

  void start_messages(double now) {
    for (const auto& started : queues_.start()) {
      const std::int64_t size_bytes = started.send.size_bytes;
      if (flows_ != nullptr) {
        flows_->start(started.message, started.src, started.dst, size_bytes);
        ++flowing_;
        account_.start(started, now, 0);
        continue;
      }
      const Link& link = machine_.between(started.src, started.dst, ranks_);
      const double end_s = now + (machine_.occupies_for_latency
                                      ? link.duration_s(size_bytes)
                                      : static_cast<double>(size_bytes) * link.time_per_byte_s);
      events_.push({Event::Kind::leave, end_s, started.message});
      account_.start(started, now, end_s);
    }
  }

  void leave(Index message, double now) {
    const auto left = queues_.leave(message);
    if (!left.completes_at_peer) executions_[at(left.src)]->complete(left.send);
    touch(left.src);
    const bool is_there = flows_ == nullptr && machine_.occupies_for_latency;
    const double latency_s =
        is_there ? 0.0 : machine_.between(left.src, left.dst, ranks_).latency_s;
    if (latency_s == 0) {
      arrive(message, now);
    } else {
      events_.push({Event::Kind::arrive, now + latency_s, message});
    }
  }

  void arrive(Index message, double now) {
    const auto receipt = queues_.arrive(message);
    if (!receipt) return;
    touch(receipt->dst);
    if (machine_.overhead_s == 0) {
      perform(receipt->dst, *receipt, now);
    } else {
      received_.push_back(*receipt);
    }
  }

  // What has come to a rank at one moment, in the order in which it would have got a port.
  void take_in_received(double now) {
    std::ranges::stable_sort(received_, {}, [](const Receipt& receipt) {
      return std::tuple(receipt.dst, receipt.round, receipt.src);
    });
    for (const Receipt& receipt : received_) take_on(receipt.dst, receipt, now);
    received_.clear();
  }

  std::span<Execution* const> executions_;
  const Layouts& layouts_;
  const Machine& machine_;
  Flows* flows_;
  std::vector<double> arrival_s_;
  Rank ranks_;
  std::vector<RankState> state_;
  MessageQueues queues_;
  std::vector<Receipt> received_;  // at this moment
  std::vector<ControlMessage> in_flight_;
  std::vector<std::pair<Rank, Ticket>> timers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Index> ended_flows_;
  std::size_t flowing_ = 0;    // messages
  std::vector<Rank> touched_;  // ranks with something new at this moment
  Account account_;
};

}  // namespace

Outcome simulate(std::span<Execution* const> executions, const Layouts& layouts,
                 const Machine& machine, const Circumstances& circumstances) {
  const std::size_t ranks = executions.size();
  if (ranks == 0) throw std::invalid_argument("a collective needs at least one rank");
  check(machine, static_cast<std::int32_t>(ranks));
  if (!circumstances.arrival_s.empty() && circumstances.arrival_s.size() != ranks) {
    throw std::invalid_argument("arrival times: " + std::to_string(circumstances.arrival_s.size()) +
                                " given, " + std::to_string(ranks) + " expected");
  }
  return Simulation(executions, layouts, machine, circumstances).run();
}

}  // namespace anabranch
