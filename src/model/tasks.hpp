// What keeps a rank busy for overhead_s each, one after the other: its messages and control
// messages, as it hands them over and as it takes them in.
#pragma once

#include <algorithm>
#include <utility>
#include <variant>

#include "model/control_messages.hpp"
#include "model/fifo.hpp"
#include "model/message_queues.hpp"

namespace anabranch {

struct Sending {
  std::int32_t dst;
  SimulatedSend send;
};
struct ControlSend {
  Ticket ticket;
  ControlMessage message;
};
struct PostedReceive {
  Ticket ticket;
  ControlMessage message;
};
using Task = std::variant<Sending, MessageQueues::Receipt, ControlSend, PostedReceive>;

// Of one rank, in the order in which they came up.
class Tasks {
 public:
  // Returns when it will be done.
  double add(Task task, double now, double overhead_s) {
    busy_until_s_ = std::max(busy_until_s_, now) + overhead_s;
    tasks_.push(std::move(task));
    return busy_until_s_;
  }
  // The one that is done now.
  Task take() { return tasks_.pop(); }

 private:
  Fifo<Task> tasks_;
  double busy_until_s_ = 0;
};

}  // namespace anabranch
