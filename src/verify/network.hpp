// A network of ranks that each carry out collective calls by means of Execution objects, with
// symbols in place of bytes. Messages are matched as MPI does: by sender and tag, in the order of
// posting. It refuses what would go wrong on real memory (reading a block that is being received,
// and so on), knows nothing of schedules, and leaves to an Order what happens next.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "execution/execution.hpp"
#include "verify/memory.hpp"
#include "verify/order.hpp"

namespace anabranch::verify {

enum class Sends : std::uint8_t {
  eager,        // complete at any time
  synchronous,  // complete only once their receive has been matched
};

class SymbolicNetwork {
 public:
  // A rank begins a call only when all those that are `in_flight` or more before it are over.
  SymbolicNetwork(std::int32_t ranks, Sends sends, std::int32_t in_flight = 1);

  // Rank (absolute) takes part in a call, which this number tells apart from others independently
  // of tags; it begins its calls in the order in which it joins them. What the memory refers to
  // must outlive the network.
  void join(std::int32_t rank, std::int32_t call, std::int32_t root,
            std::unique_ptr<Execution> execution, Memory memory);

  // Until all is done, results checked. Throws Violation. Call it once.
  void run(Order& order);

  // The same step by step, to explore what could happen; a copy goes on by itself. Completions of
  // what needs nobody else happen at once then.
  void begin();
  std::span<const Event> open_events() const {
    return {events_.data() + first_event_, events_.size() - first_event_};
  }
  void step(std::size_t event, Order& order);
  void end() const;
  // What can happen at once, and of the other open events so many that nothing is lost by trying
  // only these now (network_choices.cpp). For calls one after the other.
  bool can_happen_at_once(const Event& event) const;
  std::vector<std::size_t> sufficient_events() const;
  // What tells this state apart from others with the same participants.
  void describe_state(std::vector<std::int32_t>& state) const;
  // What it leaves out, as nothing depends on it any more: how participants have ended.
  void describe_finished(std::vector<std::int32_t>& state) const;

 private:
  static constexpr std::int32_t nothing = -1;

  struct Participant {
    std::int32_t rank;
    std::int32_t call;
    std::int32_t root;
    std::unique_ptr<Execution> execution;
    Memory memory;
    bool started = false;
    bool finished = false;
    bool poll_is_due = false;
    std::vector<std::int32_t> posted = {};  // by ticket: index of what is under way

    Participant(std::int32_t of_rank, std::int32_t in_call, std::int32_t with_root,
                std::unique_ptr<Execution> runs, Memory holds);
    Participant(const Participant& other);
    Participant(Participant&&) = default;
  };
  // Something under way on one rank.
  struct Posted {
    Action::Kind kind = Action::Kind::send;
    OperandOrder order = OperandOrder::mine_first;
    bool carries_sizes = false;
    bool may_end = false;
    bool is_ended = false;  // a receive that met an end
    bool matched = false;
    std::int32_t tag = 0;
    std::int32_t round = 0;
    std::int32_t peer = -1;  // absolute
    std::int64_t time = 0;
    std::int32_t next = nothing;  // in its channel
    Event event;
    std::vector<Cell> cells;
    std::vector<Cell> sources;          // of a copy
    std::vector<Value> values;          // sent or received
    std::vector<std::int32_t> control;  // received
  };
  // Control messages under way, or there and not yet received.
  struct ControlMessage {
    std::int32_t call;
    std::int32_t src;  // absolute
    std::int32_t tag;
    std::vector<std::int32_t> control;
  };
  // What is posted and not matched between a sender and a receiver, in order.
  struct List {
    std::int32_t first = nothing;
    std::int32_t last = nothing;
  };
  struct Channel {
    List sends;
    List receives;
    std::vector<ControlMessage> in_flight;  // under way, in order
  };
  struct RankState {
    std::vector<std::uint32_t> participants;
    std::size_t begun = 0;
    std::size_t over = 0;               // that many at the beginning of the list
    std::vector<ControlMessage> inbox;  // delivered, in order
    std::vector<std::int32_t> posted;   // posted, in order
  };

  Channel& channel(std::int32_t src, std::int32_t dst);
  void offer_starts(std::int32_t rank);
  void happen(const Event& event);
  void poll(std::uint32_t participant);
  void perform(std::uint32_t participant, const Action& action);
  std::int32_t take_posted(std::uint32_t participant, const Action& action);
  void release(std::int32_t index);
  void push(List& list, std::int32_t index);
  std::int32_t take_first(List& list, std::int32_t tag);
  void match(std::int32_t send, std::int32_t receive);
  void check_message(const Posted& send, const Posted& receive);
  void finish(const Event& event);
  void remove_event(std::size_t index);

  void post_control(Participant& who, const Action& action);
  void post_receive_control(const Participant& who, std::int32_t index);
  void deliver(const Event& event);
  bool receives_control(std::int32_t index, const ControlMessage& message) const;
  void take_control_message(std::int32_t index, const ControlMessage& message);
  void report_unreceived_control() const;
  void report_disagreement() const;
  const ControlMessage& first_in_flight(std::int32_t src, std::int32_t dst) const;
  bool is_awaited(const ControlMessage& message, std::int32_t dst) const;
  const Participant& participant_of(std::int32_t rank, std::int32_t call) const;
  bool can_answer(std::int32_t rank, const Posted& what) const;
  void add_answerers(std::int32_t member, std::vector<std::int32_t>& group) const;
  void describe(const Posted& what, std::vector<std::int32_t>& state) const;
  static void describe(const ControlMessage& message, std::vector<std::int32_t>& state);
  void describe_inbox(std::int32_t rank, std::vector<std::int32_t>& state) const;
  std::int32_t unreceived_control_of(const Participant& who) const;

  void begin_reading(Participant& who, const Posted& what, std::span<const Cell> cells);
  void begin_writing(Participant& who, const Posted& what);
  void combine(Participant& who, Posted& what);
  void store(Participant& who, const Posted& what);

  [[noreturn]] void report_deadlock() const;
  void report_leftovers() const;
  std::string text(const Posted& what) const;
  std::string where(const Posted& what) const;

  // Uses of the cells of one participant under way.
  struct Use {
    std::int32_t readers = 0;
    bool writer = false;
  };

  std::int32_t ranks_;
  Sends sends_;
  std::int32_t in_flight_;
  Order* order_ = nullptr;
  std::int64_t time_ = 0;
  std::vector<Participant> participants_;
  std::vector<std::vector<Use>> uses_;  // by participant and cell
  std::vector<RankState> rank_states_;
  std::vector<Channel> channels_;
  std::vector<Posted> posted_;
  std::vector<std::int32_t> free_posted_;
  std::vector<Event> events_;
  std::size_t first_event_ = 0;
};

}  // namespace anabranch::verify
