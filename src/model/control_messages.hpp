// Control messages of protocols on their way in a simulation: each goes to who asks for its sender
// first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "execution/execution.hpp"

namespace anabranch {

struct ControlMessage {
  std::int32_t src;
  std::int32_t dst;
  std::vector<std::int32_t> control;
};

class Mailbox {
 public:
  // The ticket of who waits for it, if anybody does; else it is kept, and moved from.
  std::optional<Ticket> deliver(ControlMessage& message) {
    const auto found = std::ranges::find_if(
        posted_, [&](const PostedReceive& posted) { return from(posted.peer, message); });
    if (found == posted_.end()) {
      in_flight_.push_back(std::move(message));
      return std::nullopt;
    }
    const Ticket ticket = found->ticket;
    posted_.erase(found);
    return ticket;
  }

  std::optional<ControlMessage> receive_control(Ticket ticket, std::int32_t peer) {
    const auto found = std::ranges::find_if(
        in_flight_, [&](const ControlMessage& message) { return from(peer, message); });
    if (found == in_flight_.end()) {
      posted_.push_back({ticket, peer});
      return std::nullopt;
    }
    ControlMessage message = std::move(*found);
    in_flight_.erase(found);
    return message;
  }

 private:
  struct PostedReceive {
    Ticket ticket;
    std::int32_t peer;
  };

  static bool from(std::int32_t peer, const ControlMessage& message) {
    return peer == Action::anybody || peer == message.src;
  }

  std::vector<ControlMessage> in_flight_;
  std::vector<PostedReceive> posted_;
};

}  // namespace anabranch
