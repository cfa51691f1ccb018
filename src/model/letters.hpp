// Words of protocols on their way in a simulation: each is heard by who asks for its sender first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "execution/execution.hpp"

namespace anabranch {

struct Letter {
  std::int32_t src;
  std::int32_t dst;
  std::vector<std::int32_t> words;
};

class Mailbox {
 public:
  // The ticket of who waits for it, if anybody does; else it is kept, and moved from.
  std::optional<Ticket> deliver(Letter& letter) {
    const auto found = std::ranges::find_if(
        hearing_, [&](const Hearing& hearing) { return from(hearing.peer, letter); });
    if (found == hearing_.end()) {
      letters_.push_back(std::move(letter));
      return std::nullopt;
    }
    const Ticket ticket = found->ticket;
    hearing_.erase(found);
    return ticket;
  }

  std::optional<Letter> hear(Ticket ticket, std::int32_t peer) {
    const auto found =
        std::ranges::find_if(letters_, [&](const Letter& letter) { return from(peer, letter); });
    if (found == letters_.end()) {
      hearing_.push_back({ticket, peer});
      return std::nullopt;
    }
    Letter letter = std::move(*found);
    letters_.erase(found);
    return letter;
  }

 private:
  struct Hearing {
    Ticket ticket;
    std::int32_t peer;
  };

  static bool from(std::int32_t peer, const Letter& letter) {
    return peer == Action::anybody || peer == letter.src;
  }

  std::vector<Letter> letters_;
  std::vector<Hearing> hearing_;
};

}  // namespace anabranch
