// Which of the things that could happen next in a simulated network does happen.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "execution/execution.hpp"

namespace anabranch::verify {

struct Event {
  enum class Kind : std::uint8_t {
    start,  // the rank begins its next operation
    poll,   // the rank looks for actions that it may start
    send,   // an action is complete and its rank gets to know
    receive,
    reduce_local,
    copy,
    send_control,
    deliver,  // the first control message under way to the rank from another one (`operation`: its
              // rank)
    receive_control,
    time,
  };
  Kind kind = Kind::start;
  std::int32_t rank = 0;
  std::uint32_t participant = 0;  // the rank in one operation
  Ticket ticket = 0;
  std::uint32_t operation = 0;  // in the schedule
  std::int32_t iteration = 0;
};

class Order {
 public:
  virtual ~Order() = default;
  // The index of one of the events, of which there is at least one; the oldest come first, as far
  // as the choices so far have left them in their places.
  virtual std::size_t pick(std::span<const Event> events) = 0;
  // Whether a rank that has got to know of a completion looks for actions only some time later.
  virtual bool puts_off_poll() { return false; }
};

class FirstInFirstOut final : public Order {
 public:
  std::size_t pick(std::span<const Event>) override { return 0; }
};

class LastInFirstOut final : public Order {
 public:
  std::size_t pick(std::span<const Event> events) override { return events.size() - 1; }
};

class RandomOrder final : public Order {
 public:
  explicit RandomOrder(std::uint64_t seed) : state_(seed) {}
  std::size_t pick(std::span<const Event> events) override;
  bool puts_off_poll() override { return next() % 4 == 0; }

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

// One rank does nothing for as long as others can.
class SlowRank final : public Order {
 public:
  explicit SlowRank(std::int32_t rank) : rank_(rank) {}
  std::size_t pick(std::span<const Event> events) override;

 private:
  std::int32_t rank_;
};

// One instance of an operation of one rank takes as long as anything else can happen: all of it, or
// only the combining with what it has received.
class SlowAction final : public Order {
 public:
  SlowAction(std::int32_t rank, std::uint32_t operation, std::int32_t iteration,
             bool only_combining)
      : rank_(rank),
        operation_(operation),
        iteration_(iteration),
        only_combining_(only_combining) {}
  std::size_t pick(std::span<const Event> events) override;

 private:
  std::int32_t rank_;
  std::uint32_t operation_;
  std::int32_t iteration_;
  bool only_combining_;
};

// Goes through all orders, one a run: call advance() between runs until it says that there is none
// left.
class EveryOrder final : public Order {
 public:
  std::size_t pick(std::span<const Event> events) override;
  bool advance();

 private:
  struct Choice {
    std::size_t taken;
    std::size_t among;
  };
  std::vector<Choice> choices_;
  std::size_t depth_ = 0;
};

}  // namespace anabranch::verify
