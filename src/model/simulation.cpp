#include "model/simulation.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <string>
#include <tuple>

#include "model/letters.hpp"
#include "model/message_queues.hpp"

namespace anabranch {
namespace {

using Rank = std::int32_t;
using Index = MessageQueues::Index;

// Events closer than this are one moment: sums of the same durations in another order must not
// decide which of two messages gets a port.
constexpr double same_moment = 1e-12;

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

std::int64_t bytes_of(const Action& action, const Layouts& layouts) {
  constexpr std::int64_t size_field_bytes = 8;
  std::int64_t bytes = 0;
  for (const BlockSet& part : action.parts) {
    const Layout& layout = layouts[static_cast<std::size_t>(part.buffer)];
    if (action.carries_sizes) bytes += part.count * size_field_bytes;
    if (part.stride == 1) {
      bytes += layout.of(part.first + action.block_shift, part.count).size_bytes;
      continue;
    }
    for (std::int32_t i = 0; i < part.count; ++i) {
      bytes += layout.of(part.at(i) + action.block_shift).size_bytes;
    }
  }
  return bytes;
}

struct Event {
  enum class Kind : std::uint8_t { arrival, end_of_message, letter, time } kind;
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
        arrival_s_(circumstances.arrival_s),
        trace_(circumstances.trace),
        ranks_(static_cast<Rank>(executions.size())),
        state_(executions.size()),
        queues_(ranks_, machine) {
    arrival_s_.resize(executions.size(), 0.0);
    outcome_.exit_s.resize(executions.size());
    outcome_.traffic.resize(executions.size());
    for (Rank rank = 0; rank < ranks_; ++rank) {
      events_.push({Event::Kind::arrival, arrival_s_[at(rank)], static_cast<Index>(rank)});
    }
  }

  Outcome run() {
    while (!events_.empty()) {
      double now = events_.top().time_s;
      const double until = now + same_moment * std::max(now, -now);
      touched_.clear();
      while (!events_.empty() && events_.top().time_s <= until) {
        const Event event = events_.top();
        events_.pop();
        now = event.time_s;
        happen(event);
      }
      for (std::size_t i = 0; i < touched_.size(); ++i) advance(touched_[i], now);
      start_messages(now);
      for (const Rank rank : touched_) state_[at(rank)].touched = false;
    }
    return finish();
  }

 private:
  struct RankState {
    Mailbox mailbox;
    bool touched = false;
    bool arrived = false;
    bool done = false;
  };

  void happen(const Event& event) {
    switch (event.kind) {
      case Event::Kind::arrival:
        state_[event.index].arrived = true;
        touch(static_cast<Rank>(event.index));
        break;
      case Event::Kind::end_of_message:
        end(event.index);
        break;
      case Event::Kind::letter:
        deliver(letters_[event.index]);
        break;
      case Event::Kind::time: {
        const auto [rank, ticket] = timers_[event.index];
        if (state_[at(rank)].done) break;
        executions_[at(rank)]->complete(ticket);
        touch(rank);
        break;
      }
    }
  }

  void deliver(Letter& letter) {
    const auto ticket = state_[at(letter.dst)].mailbox.deliver(letter);
    if (!ticket) return;
    executions_[at(letter.dst)]->heard(*ticket, letter.src, letter.words);
    touch(letter.dst);
  }

  // Words take the latency and no port: they are short.
  void tell(Rank rank, const Action& action, double now) {
    const double latency_s = machine_.between(rank, action.peer, ranks_).latency_s;
    events_.push({Event::Kind::letter, now + latency_s, static_cast<Index>(letters_.size())});
    letters_.push_back({rank, action.peer, {action.words.begin(), action.words.end()}});
    executions_[at(rank)]->complete(action.ticket);
  }

  void hear(Rank rank, const Action& action) {
    const auto letter = state_[at(rank)].mailbox.hear(action.ticket, action.peer);
    if (letter) executions_[at(rank)]->heard(action.ticket, letter->src, letter->words);
  }

  void touch(Rank rank) {
    if (!state_[at(rank)].touched) touched_.push_back(rank);
    state_[at(rank)].touched = true;
  }

  // Everything that the rank can start now.
  void advance(Rank rank, double now) {
    RankState& state = state_[at(rank)];
    if (!state.arrived) return;
    Execution& execution = *executions_[at(rank)];
    Action action;
    while (execution.next(action)) {
      if (converse(rank, action, now)) continue;
      const bool local = action.kind == Action::Kind::copy || action.kind == Action::Kind::combine;
      const std::int64_t bytes = local ? 0 : bytes_of(action, layouts_);
      if (bytes == 0) {
        execution.complete(action.ticket);
      } else if (action.kind == Action::Kind::send) {
        send(rank, action, bytes, false);
      } else {
        receive(rank, action, execution);
      }
    }
    if (execution.done() && !state.done) {
      state.done = true;
      outcome_.exit_s[at(rank)] = std::max(now, arrival_s_[at(rank)]);
    }
  }

  // What only protocols do.
  bool converse(Rank rank, const Action& action, double now) {
    switch (action.kind) {
      case Action::Kind::tell:
        tell(rank, action, now);
        return true;
      case Action::Kind::hear:
        hear(rank, action);
        return true;
      case Action::Kind::wait:
        events_.push({Event::Kind::time, now + action.wait_s, static_cast<Index>(timers_.size())});
        timers_.emplace_back(rank, action.ticket);
        return true;
      case Action::Kind::end:
        send(rank, action, 0, true);
        return true;
      default:
        return false;
    }
  }

  static void finish_receive(Execution& execution, Ticket receive, bool is_end) {
    if (is_end) {
      execution.ended(receive);
    } else {
      execution.complete(receive);
    }
  }

  void send(Rank rank, const Action& action, std::int64_t size_bytes, bool is_end) {
    queues_.send(
        rank, action.peer,
        {action.ticket, action.round, action.operation, action.iteration, size_bytes, is_end});
  }

  void receive(Rank rank, const Action& action, Execution& execution) {
    const auto receipt = queues_.receive(action.peer, rank, action.ticket);
    if (receipt.received) finish_receive(execution, action.ticket, receipt.is_end);
  }

  void start_messages(double now) {
    for (const auto& started : queues_.start(touched_)) {
      const double duration_s =
          machine_.between(started.src, started.dst, ranks_).duration_s(started.send.size_bytes);
      events_.push({Event::Kind::end_of_message, now + duration_s, started.message});
      count(started, now, duration_s);
    }
  }

  void count(const MessageQueues::Started& started, double now, double duration_s) {
    const auto& [message, src, dst, send] = started;
    Traffic& from = outcome_.traffic[at(src)];
    Traffic& to = outcome_.traffic[at(dst)];
    from.bytes_sent += send.size_bytes;
    ++from.messages_sent;
    to.bytes_received += send.size_bytes;
    ++to.messages_received;
    if (!trace_) return;
    outcome_.transfers.push_back({src, dst, send.round, send.operation, send.iteration,
                                  send.size_bytes, now, now + duration_s});
  }

  void end(Index message) {
    const auto ended = queues_.end(message);
    executions_[at(ended.src)]->complete(ended.send);
    touch(ended.src);
    touch(ended.dst);
    if (!ended.receipt.received) return;
    finish_receive(*executions_[at(ended.dst)], ended.receive, ended.receipt.is_end);
  }

  Outcome finish() {
    for (Rank rank = 0; rank < ranks_; ++rank) {
      if (state_[at(rank)].done) continue;
      throw std::runtime_error("deadlock: rank " + std::to_string(rank) + " of " +
                               std::to_string(ranks_) + " waits for a message that never starts");
    }
    double last_exit = outcome_.exit_s.front();
    double last_arrival = arrival_s_.front();
    for (Rank rank = 0; rank < ranks_; ++rank) {
      last_exit = std::max(last_exit, outcome_.exit_s[at(rank)]);
      last_arrival = std::max(last_arrival, arrival_s_[at(rank)]);
      outcome_.total_s += outcome_.exit_s[at(rank)] - arrival_s_[at(rank)];
    }
    outcome_.completion_s = last_exit - last_arrival;
    return std::move(outcome_);
  }

  std::span<Execution* const> executions_;
  const Layouts& layouts_;
  const Machine& machine_;
  std::vector<double> arrival_s_;
  bool trace_;
  Rank ranks_;
  std::vector<RankState> state_;
  MessageQueues queues_;
  std::vector<Letter> letters_;
  std::vector<std::pair<Rank, Ticket>> timers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Rank> touched_;  // ranks with something new at this moment
  Outcome outcome_;
};

void check(std::size_t ranks, const Machine& machine, const Circumstances& circumstances) {
  const auto wrong = [](const std::string& what, std::size_t given, std::size_t expected) {
    return std::invalid_argument(what + ": " + std::to_string(given) + " given, " +
                                 std::to_string(expected) + " expected");
  };
  if (ranks == 0) throw std::invalid_argument("a collective needs at least one rank");
  if (!machine.links.empty() && machine.links.size() != ranks * ranks) {
    throw wrong("links of the machine", machine.links.size(), ranks * ranks);
  }
  if (!circumstances.arrival_s.empty() && circumstances.arrival_s.size() != ranks) {
    throw wrong("arrival times", circumstances.arrival_s.size(), ranks);
  }
  if (machine.ports < 1) throw std::invalid_argument("a rank needs at least one port");
}

}  // namespace

Outcome simulate(std::span<Execution* const> executions, const Layouts& layouts,
                 const Machine& machine, const Circumstances& circumstances) {
  check(executions.size(), machine, circumstances);
  return Simulation(executions, layouts, machine, circumstances).run();
}

}  // namespace anabranch
