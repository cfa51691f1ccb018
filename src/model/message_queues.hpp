// Messages on their way in a simulation: matched pair by pair in order, and started as what they
// occupy is free.
//
// Knows no time: the simulation says when a message that was started is there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "execution/execution.hpp"
#include "model/fifo.hpp"
#include "model/machine.hpp"
#include "model/resources.hpp"

namespace anabranch {

struct SimulatedSend {
  Ticket ticket = 0;
  std::int32_t round = 0;
  std::uint32_t operation = 0;
  std::int32_t iteration = 0;
  std::int64_t size_bytes = 0;
  bool is_end = false;             // takes the place of blocks
  bool completes_at_peer = false;  // Action::completes_at_peer
};

class MessageQueues {
 public:
  using Index = std::uint32_t;
  struct Started {
    Index message;
    std::int32_t src;
    std::int32_t dst;
    SimulatedSend send;
  };
  // A message that is there, with the receive that it is for.
  struct Receipt {
    std::int32_t src;
    std::int32_t dst;
    std::int32_t round;
    Ticket send;
    Ticket receive;
    bool is_end;
    bool completes_at_peer;
  };
  struct Left {
    std::int32_t src;
    std::int32_t dst;
    Ticket send;
    bool completes_at_peer;
  };

  MessageQueues(std::int32_t ranks, const Machine& machine)
      : machine_(machine), resources_(ranks, machine), waiting_(resources_.count()) {}

  void send(std::int32_t src, std::int32_t dst, const SimulatedSend& send);
  // Nothing: it waits.
  std::optional<Receipt> receive(std::int32_t src, std::int32_t dst, Ticket ticket);

  // Those that can travel since the last call; valid until the next.
  std::span<const Started> start();
  // The message has left what it occupied, and later it is with the receiver.
  Left leave(Index message);
  std::optional<Receipt> arrive(Index message);

 private:
  // The messages from one rank to another.
  struct Channel {
    std::int32_t src;
    std::int32_t dst;
    Resources::Route route;
    Fifo<SimulatedSend> sends;
    Fifo<Ticket> receives;
    Fifo<Index> unmatched;   // under way or arrived, the receive not yet posted
    bool is_listed = false;  // has a message that waits for its route only
    bool is_busy = false;    // with a message, with flows
  };
  struct Message {
    Index channel;
    SimulatedSend send;
    Ticket receive;
    bool is_matched;
    bool has_arrived;
  };
  struct Candidate {
    std::int32_t round;
    std::int32_t src;
    std::int32_t dst;
    Index channel;
    auto operator<=>(const Candidate&) const = default;
  };

  Index channel_between(std::int32_t src, std::int32_t dst);
  bool can_start(const Channel& channel) const;
  void list(Index channel);
  void unlist(Index channel);
  void find_candidates();
  void add_candidates(std::span<const Index> channels);
  Started start_message(Index channel);
  Receipt receipt_of(const Message& message) const;
  Index take_message();

  const Machine& machine_;
  Resources resources_;
  std::vector<std::vector<Index>> waiting_;  // listed channels, by what they occupy
  std::vector<Index> newly_listed_;          // channels
  std::vector<Resources::Index> freed_;      // since the last start
  std::unordered_map<std::uint64_t, Index> channel_at_;
  std::vector<Channel> channels_;
  std::vector<Message> messages_;
  std::vector<Index> free_messages_;
  std::vector<Candidate> candidates_;
  std::vector<Started> started_;
};

}  // namespace anabranch
