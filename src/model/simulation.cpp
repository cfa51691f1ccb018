#include "model/simulation.hpp"

#include <algorithm>
#include <memory>
#include <queue>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>

#include "collectives/layouts.hpp"
#include "execution/schedule_execution.hpp"

namespace anabranch {
namespace {

using Rank = std::int32_t;
using Index = std::uint32_t;

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

template <typename T>
class Fifo {
 public:
  bool empty() const { return head_ == entries_.size(); }
  const T& front() const { return entries_[head_]; }
  void push(const T& value) {
    if (head_ > entries_.size() / 2) {
      entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    entries_.push_back(value);
  }
  T pop() { return entries_[head_++]; }

 private:
  std::vector<T> entries_;
  std::size_t head_ = 0;
};

struct Send {
  Ticket ticket;
  std::int32_t round;
  std::uint32_t operation;
  std::int32_t iteration;
  std::int64_t size_bytes;
  bool is_end;  // takes the place of blocks
};

// Words take the latency and no port: they are short.
struct Letter {
  Rank src;
  Rank dst;
  std::vector<std::int32_t> words;
};

struct Hearing {
  Ticket ticket;
  Rank peer;
};

// The messages from one rank to another: matched in their order.
struct Channel {
  Rank src;
  Rank dst;
  Fifo<Send> sends;
  Fifo<Ticket> receives;
  Fifo<Index> unmatched;  // under way or arrived, the receive not yet posted
  bool listed = false;    // among the candidates of both ranks
};

struct Message {
  Index channel;
  Ticket send;
  Ticket receive;
  bool matched;
  bool arrived;
  bool is_end;
};

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
        state_(executions.size()) {
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
    std::vector<Letter> inbox;     // not heard yet
    std::vector<Hearing> hearing;  // posted
    std::vector<Index> outgoing;   // channels with a message that waits for ports only
    std::vector<Index> incoming;
    std::int32_t sending = 0;
    std::int32_t receiving = 0;
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
    RankState& state = state_[at(letter.dst)];
    const auto hears = [&](const Hearing& hearing) {
      return hearing.peer == Action::anybody || hearing.peer == letter.src;
    };
    const auto found = std::ranges::find_if(state.hearing, hears);
    if (found == state.hearing.end()) {
      state.inbox.push_back(std::move(letter));
      return;
    }
    const Ticket ticket = found->ticket;
    state.hearing.erase(found);
    executions_[at(letter.dst)]->heard(ticket, letter.src, letter.words);
    touch(letter.dst);
  }

  void tell(Rank rank, const Action& action, double now) {
    const double latency_s = machine_.between(rank, action.peer, ranks_).latency_s;
    events_.push({Event::Kind::letter, now + latency_s, static_cast<Index>(letters_.size())});
    letters_.push_back({rank, action.peer, {action.words.begin(), action.words.end()}});
    executions_[at(rank)]->complete(action.ticket);
  }

  void hear(Rank rank, const Action& action) {
    RankState& state = state_[at(rank)];
    const auto found = std::ranges::find_if(state.inbox, [&](const Letter& letter) {
      return action.peer == Action::anybody || action.peer == letter.src;
    });
    if (found == state.inbox.end()) {
      state.hearing.push_back({action.ticket, action.peer});
      return;
    }
    const Letter letter = std::move(*found);
    state.inbox.erase(found);
    executions_[at(rank)]->heard(action.ticket, letter.src, letter.words);
  }

  void touch(Rank rank) {
    if (!state_[at(rank)].touched) touched_.push_back(rank);
    state_[at(rank)].touched = true;
  }

  Index channel_between(Rank src, Rank dst) {
    const auto key = static_cast<std::uint64_t>(src) << 32 | static_cast<std::uint32_t>(dst);
    const auto [place, is_new] = channel_at_.try_emplace(key, static_cast<Index>(channels_.size()));
    if (is_new) channels_.push_back({src, dst, {}, {}, {}});
    return place->second;
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
        const Index channel = channel_between(rank, action.peer);
        channels_[channel].sends.push(
            {action.ticket, action.round, action.operation, action.iteration, bytes, false});
        list(channel);
      } else {
        post(channel_between(action.peer, rank), action.ticket, execution);
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
      case Action::Kind::end: {
        const Index channel = channel_between(rank, action.peer);
        channels_[channel].sends.push(
            {action.ticket, action.round, action.operation, action.iteration, 0, true});
        list(channel);
        return true;
      }
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

  void post(Index index, Ticket receive, Execution& execution) {
    Channel& channel = channels_[index];
    if (channel.unmatched.empty()) {
      channel.receives.push(receive);
      list(index);
      return;
    }
    const Index waiting = channel.unmatched.pop();
    Message& message = messages_[waiting];
    message.matched = true;
    message.receive = receive;
    if (message.arrived) {
      finish_receive(execution, receive, message.is_end);
      free_messages_.push_back(waiting);
    }
  }

  bool can_start(const Channel& channel) const {
    return !channel.sends.empty() &&
           (machine_.delivery == Delivery::buffered || !channel.receives.empty());
  }

  void list(Index index) {
    Channel& channel = channels_[index];
    if (channel.listed || !can_start(channel)) return;
    channel.listed = true;
    state_[at(channel.src)].outgoing.push_back(index);
    state_[at(channel.dst)].incoming.push_back(index);
  }

  bool ports_free(const Channel& channel) const {
    return state_[at(channel.src)].sending < machine_.ports &&
           state_[at(channel.dst)].receiving < machine_.ports;
  }

  void start_messages(double now) {
    bool again = true;
    while (again) {
      candidates_.clear();
      for (const Rank rank : touched_) {
        for (const Index channel : state_[at(rank)].outgoing) add_candidate(channel);
        for (const Index channel : state_[at(rank)].incoming) add_candidate(channel);
      }
      std::sort(candidates_.begin(), candidates_.end());
      candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
      again = false;
      for (const Candidate& candidate : candidates_) {
        if (!ports_free(channels_[candidate.channel])) continue;
        start(candidate.channel, now);
        again = machine_.ports > 1;
      }
    }
  }

  void add_candidate(Index index) {
    const Channel& channel = channels_[index];
    if (!ports_free(channel)) return;
    candidates_.push_back({channel.sends.front().round, channel.src, channel.dst, index});
  }

  void start(Index index, double now) {
    Channel& channel = channels_[index];
    const Send send = channel.sends.pop();
    const Index name = take_message();
    const bool matched = !channel.receives.empty();
    messages_[name] = {index,   send.ticket, matched ? channel.receives.pop() : 0,
                       matched, false,       send.is_end};
    if (!matched) channel.unmatched.push(name);
    ++state_[at(channel.src)].sending;
    ++state_[at(channel.dst)].receiving;
    const double duration_s =
        machine_.between(channel.src, channel.dst, ranks_).duration_s(send.size_bytes);
    events_.push({Event::Kind::end_of_message, now + duration_s, name});
    count(channel, send, now, duration_s);
    if (!can_start(channel)) unlist(index);
  }

  void count(const Channel& channel, const Send& send, double now, double duration_s) {
    Traffic& from = outcome_.traffic[at(channel.src)];
    Traffic& to = outcome_.traffic[at(channel.dst)];
    from.bytes_sent += send.size_bytes;
    ++from.messages_sent;
    to.bytes_received += send.size_bytes;
    ++to.messages_received;
    if (!trace_) return;
    outcome_.transfers.push_back({channel.src, channel.dst, send.round, send.operation,
                                  send.iteration, send.size_bytes, now, now + duration_s});
  }

  void unlist(Index index) {
    Channel& channel = channels_[index];
    channel.listed = false;
    const auto remove = [index](std::vector<Index>& list) {
      *std::find(list.begin(), list.end(), index) = list.back();
      list.pop_back();
    };
    remove(state_[at(channel.src)].outgoing);
    remove(state_[at(channel.dst)].incoming);
  }

  void end(Index name) {
    Message& message = messages_[name];
    const Channel& channel = channels_[message.channel];
    --state_[at(channel.src)].sending;
    --state_[at(channel.dst)].receiving;
    executions_[at(channel.src)]->complete(message.send);
    touch(channel.src);
    touch(channel.dst);
    message.arrived = true;
    if (!message.matched) return;
    finish_receive(*executions_[at(channel.dst)], message.receive, message.is_end);
    free_messages_.push_back(name);
  }

  Index take_message() {
    if (free_messages_.empty()) {
      messages_.emplace_back();
      return static_cast<Index>(messages_.size() - 1);
    }
    const Index name = free_messages_.back();
    free_messages_.pop_back();
    return name;
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

  struct Candidate {
    std::int32_t round;
    Rank src;
    Rank dst;
    Index channel;
    auto operator<=>(const Candidate&) const = default;
  };

  std::span<Execution* const> executions_;
  const Layouts& layouts_;
  const Machine& machine_;
  std::vector<double> arrival_s_;
  bool trace_;
  Rank ranks_;
  std::vector<RankState> state_;
  std::unordered_map<std::uint64_t, Index> channel_at_;
  std::vector<Channel> channels_;
  std::vector<Message> messages_;
  std::vector<Letter> letters_;
  std::vector<std::pair<Rank, Ticket>> timers_;
  std::vector<Index> free_messages_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Rank> touched_;  // ranks with something new at this moment
  std::vector<Candidate> candidates_;
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

Outcome simulate(std::span<const Schedule* const> schedules, const Layouts& layouts,
                 const Machine& machine, const Circumstances& circumstances) {
  std::vector<std::unique_ptr<Execution>> owned;
  std::vector<Execution*> executions;
  for (const Schedule* schedule : schedules) {
    owned.push_back(std::make_unique<ScheduleExecution>(*schedule, circumstances.window, 0));
    executions.push_back(owned.back().get());
  }
  return simulate(executions, layouts, machine, circumstances);
}

Outcome simulate(const Choice& choice, const Problem& problem, const Machine& machine,
                 const Circumstances& circumstances) {
  const Choice resolved = resolve(choice, problem);
  const Algorithm& algorithm = *resolved.algorithm;
  if (algorithm.generate == nullptr && algorithm.start == nullptr) {
    throw std::invalid_argument(std::string(algorithm.id) +
                                " has no schedule that a model could price");
  }
  const std::int32_t blocks = algorithm.blocks(problem, resolved.values);
  const Layouts layouts =
      even_layouts(algorithm.collective, problem.ranks, blocks, problem.size_bytes);
  if (algorithm.start != nullptr) {
    std::vector<std::unique_ptr<Execution>> owned;
    std::vector<Execution*> executions;
    for (std::int32_t rank = 0; rank < problem.ranks; ++rank) {
      owned.push_back(algorithm.start(
          {problem, rank, blocks, resolved.values, circumstances.window, 0, nullptr}));
      executions.push_back(owned.back().get());
    }
    return simulate(executions, layouts, machine, circumstances);
  }
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(problem.ranks));
  std::vector<const Schedule*> pointers;
  for (std::int32_t rank = 0; rank < problem.ranks; ++rank) {
    schedules.push_back(resolved.algorithm->generate(problem.ranks, rank, blocks, resolved.values));
    pointers.push_back(&schedules.back());
  }
  return simulate(pointers, layouts, machine, circumstances);
}

}  // namespace anabranch
