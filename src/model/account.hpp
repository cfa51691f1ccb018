// What a simulation has to report, noted while it goes on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "model/message_queues.hpp"
#include "model/simulation.hpp"

namespace anabranch {

class Account {
 public:
  Account(std::size_t ranks, bool trace) : trace_(trace) {
    outcome_.exit_s.resize(ranks);
    outcome_.traffic.resize(ranks);
  }

  void exit(std::int32_t rank, double now) { outcome_.exit_s[at(rank)] = now; }

  void start(const MessageQueues::Started& started, double start_s, double end_s) {
    const auto& [message, src, dst, send] = started;
    Traffic& from = outcome_.traffic[at(src)];
    Traffic& to = outcome_.traffic[at(dst)];
    from.bytes_sent += send.size_bytes;
    ++from.messages_sent;
    to.bytes_received += send.size_bytes;
    ++to.messages_received;
    if (!trace_) return;
    outcome_.transfers.push_back(
        {src, dst, send.round, send.operation, send.iteration, send.size_bytes, start_s, end_s});
  }

  // Once all ranks have left.
  Outcome finish(std::span<const double> arrival_s) {
    double last_exit = outcome_.exit_s.front();
    double last_arrival = arrival_s.front();
    for (std::size_t rank = 0; rank < arrival_s.size(); ++rank) {
      last_exit = std::max(last_exit, outcome_.exit_s[rank]);
      last_arrival = std::max(last_arrival, arrival_s[rank]);
      outcome_.total_s += outcome_.exit_s[rank] - arrival_s[rank];
    }
    outcome_.completion_s = last_exit - last_arrival;
    return std::move(outcome_);
  }

 private:
  static std::size_t at(std::int32_t rank) { return static_cast<std::size_t>(rank); }

  Outcome outcome_;
  bool trace_;
};

}  // namespace anabranch
