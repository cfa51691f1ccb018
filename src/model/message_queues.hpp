// Messages on their way in a simulation: matched pair by pair in order, and started as ports allow.
//
// Knows no time: the simulation says when a message that was started is there.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "execution/execution.hpp"
#include "model/machine.hpp"

namespace anabranch {

struct SimulatedSend {
  Ticket ticket = 0;
  std::int32_t round = 0;
  std::uint32_t operation = 0;
  std::int32_t iteration = 0;
  std::int64_t size_bytes = 0;
  bool is_end = false;  // takes the place of blocks
};

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

class MessageQueues {
 public:
  using Index = std::uint32_t;
  struct Started {
    Index message;
    std::int32_t src;
    std::int32_t dst;
    SimulatedSend send;
  };
  // What a receive gets: `received` is false while it still waits.
  struct Receipt {
    bool received = false;
    bool is_end = false;
  };
  struct Ended {
    std::int32_t src;
    std::int32_t dst;
    Ticket send;
    Ticket receive;
    Receipt receipt;  // not received: nobody has asked for it yet
  };

  MessageQueues(std::int32_t ranks, const Machine& machine)
      : machine_(machine), at_ranks_(static_cast<std::size_t>(ranks)) {}

  void send(std::int32_t src, std::int32_t dst, const SimulatedSend& send);
  Receipt receive(std::int32_t src, std::int32_t dst, Ticket ticket);

  // Those that get ports now, of the ones to and from these ranks; valid until the next call.
  std::span<const Started> start(std::span<const std::int32_t> ranks);
  Ended end(Index message);

 private:
  // The messages from one rank to another.
  struct Channel {
    std::int32_t src;
    std::int32_t dst;
    Fifo<SimulatedSend> sends;
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
  struct AtRank {
    std::vector<Index> outgoing;  // channels with a message that waits for ports only
    std::vector<Index> incoming;
    std::int32_t sending = 0;
    std::int32_t receiving = 0;
  };
  struct Candidate {
    std::int32_t round;
    std::int32_t src;
    std::int32_t dst;
    Index channel;
    auto operator<=>(const Candidate&) const = default;
  };

  AtRank& at(std::int32_t rank) { return at_ranks_[static_cast<std::size_t>(rank)]; }
  Index channel_between(std::int32_t src, std::int32_t dst);
  bool can_start(const Channel& channel) const;
  bool ports_free(const Channel& channel);
  void list(Index channel);
  void unlist(Index channel);
  void add_candidates(std::span<const Index> channels);
  Started start_message(Index channel);
  Index take_message();

  const Machine& machine_;
  std::vector<AtRank> at_ranks_;
  std::unordered_map<std::uint64_t, Index> channel_at_;
  std::vector<Channel> channels_;
  std::vector<Message> messages_;
  std::vector<Index> free_messages_;
  std::vector<Candidate> candidates_;
  std::vector<Started> started_;
};

}  // namespace anabranch
