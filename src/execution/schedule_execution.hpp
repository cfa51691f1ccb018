// Runs a schedule, driven by data: an operation starts when the blocks it needs are there.
//
// Messages to one peer keep the order of the schedule, and so do those from one peer: both ends
// agree on it, and MPI's non-overtaking rule does the matching. Between peers, sends overtake
// others that still wait for blocks; but the last free place among the sends is kept for the
// earliest of them, and receives are posted in order. So the earliest unfinished round can always
// make progress: no schedule that is free of deadlock in lockstep can come to a deadlock,
// whatever the window is. For the same reason nothing overtakes a send that is to go alone.
#pragma once

#include <memory>
#include <vector>

#include "execution/execution.hpp"

namespace anabranch {

class ScheduleExecution final : public Execution {
 public:
  // `tag` marks all messages of this collective.
  ScheduleExecution(std::shared_ptr<const Schedule> schedule, Window window, std::int32_t tag);
  // The schedule must outlive the execution.
  ScheduleExecution(const Schedule& schedule, Window window, std::int32_t tag)
      : ScheduleExecution(std::shared_ptr<const Schedule>(std::shared_ptr<void>(), &schedule),
                          window, tag) {}

  bool next(Action& action) override;
  void complete(Ticket ticket) override;
  bool done() const override { return remaining_ == 0; }
  const Schedule* schedule() const override { return held_.get(); }
  std::int32_t scratch_blocks() const override {
    return schedule_.block_count[static_cast<std::size_t>(Buffer::scratch)];
  }
  std::unique_ptr<Execution> clone() const override;
  void describe_state(std::vector<std::int32_t>& state) const override;

 private:
  // Instances of one operation, in order: started, complete up to here, complete behind a gap.
  struct Progress {
    std::int32_t started = 0;
    std::int32_t complete = 0;
    std::uint64_t ahead = 0;
  };
  struct Slot {
    enum class State : std::uint8_t { free, under_way, received, combining } state = State::free;
    std::uint32_t operation = 0;
    std::int32_t iteration = 0;
  };
  // Operations with instances left, ordered by the round of their next instance.
  class Queue {
   public:
    void push_sorted(std::uint32_t operation) { entries_.push_back(operation); }
    bool empty() const { return cursor_ == entries_.size(); }
    std::size_t size() const { return entries_.size() - cursor_; }
    std::uint32_t at(std::size_t place) const { return entries_[cursor_ + place]; }
    // The entry at `place` had its next instance started: moves it to where it belongs now.
    void advance(std::size_t place, const Schedule& schedule,
                 const std::vector<Progress>& progress);

   private:
    std::vector<std::uint32_t> entries_;
    std::size_t cursor_ = 0;
  };

  bool ready(std::uint32_t operation, std::int32_t iteration) const;
  // Whether there is room to note that the operation's next instance ends before earlier ones.
  bool can_be_tracked(std::uint32_t operation) const {
    return progress_[operation].started - progress_[operation].complete < 64;
  }
  bool next_combine(Action& action);
  bool next_copy(Action& action);
  bool next_receive(Action& action);
  bool next_send(Action& action);
  bool may_go(std::uint32_t operation) const;
  void find_oldest_missing();
  void start(Queue& queue, std::size_t place, Action::Kind kind, Action& action);
  void fill(Action& action, Action::Kind kind, Ticket ticket) const;
  Ticket take_slot(std::uint32_t operation, std::int32_t iteration);
  void finish_instance(Slot& slot);

  std::shared_ptr<const Schedule> held_;
  const Schedule& schedule_;
  Window window_;
  std::int32_t tag_;
  std::int64_t remaining_ = 0;  // instances not complete
  std::int32_t sends_under_way_ = 0;
  std::int32_t receives_under_way_ = 0;
  std::int32_t received_waiting_ = 0;  // reduces that have their message but are not complete
  bool idle_ = false;                  // nothing can start before a completion
  bool has_exclusive_send_under_way_ = false;
  bool keeps_in_step_ = false;       // sends that may not be any number of rounds ahead
  std::int32_t oldest_missing_ = 0;  // round of the earliest message that is not in, for those
  std::vector<Progress> progress_;
  std::vector<Slot> slots_;
  std::vector<Ticket> free_slots_;
  Queue sends_;
  Queue receives_;
  Queue copies_;
};

}  // namespace anabranch
