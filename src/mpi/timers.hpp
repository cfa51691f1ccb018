// Waits of an execution: tickets that are due at some time.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "execution/execution.hpp"

namespace anabranch::mpi {

class Timers {
 public:
  bool empty() const { return timers_.empty(); }
  void add(Ticket ticket, double due_s) { timers_.push_back({ticket, due_s}); }

  // One that is due, if any; it is gone then.
  std::optional<Ticket> take(double now_s) {
    const auto due =
        std::ranges::find_if(timers_, [now_s](const Timer& one) { return one.due_s <= now_s; });
    if (due == timers_.end()) return std::nullopt;
    const Ticket ticket = due->ticket;
    timers_.erase(due);
    return ticket;
  }

 private:
  struct Timer {
    Ticket ticket;
    double due_s;
  };
  std::vector<Timer> timers_;
};

}  // namespace anabranch::mpi
