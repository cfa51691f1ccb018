// What all protocols share. A protocol finds out on the way who does what: it is a state machine
// that reacts to control messages of other ranks, to blocks that have come and to time that has
// passed.
//
// Here are the means: control messages sent and received, blocks taken in their order from one rank
// after the other, blocks passed on as they come, and schedules run among some of the ranks. The
// protocols themselves, in algorithms/, decide. Pure, like every execution.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "execution/forwarding_queue.hpp"
#include "execution/held_blocks.hpp"
#include "execution/members.hpp"
#include "execution/schedule_execution.hpp"

namespace anabranch {

class Protocol : public Execution {
 public:
  bool next(Action& action) final;
  void complete(Ticket ticket) final;
  void control_received(Ticket ticket, std::int32_t peer,
                        std::span<const std::int32_t> control) final;
  void ended(Ticket ticket) final;
  bool done() const final;
  void describe_state(std::vector<std::int32_t>& state) const override;
  bool served_all_together() const final { return served_all_together_; }

  // The longest control message in a collective of so many ranks.
  static std::int32_t max_control_length(std::int32_t ranks) {
    return 4 + max_members_length(ranks);
  }

 protected:
  static constexpr std::int32_t nobody = -1;

  // What ranks know of each other holds for each control message. Throws std::logic_error.
  static void require(bool holds) {
    if (!holds) throw std::logic_error("a control message that its receiver does not expect");
  }

  Protocol(std::int32_t ranks, std::int32_t rank, std::int32_t blocks, Window window,
           std::int32_t tag);
  Protocol(const Protocol& other);

  // Reactions: once at the beginning, to control messages, to the end of the wait; and after
  // everything else that happens.
  virtual void begin() = 0;
  virtual void on_control(std::int32_t peer, std::span<const std::int32_t> control) = 0;
  virtual void on_time() {}
  virtual void on_progress() = 0;
  // Whether nothing is left to do but what is under way.
  virtual bool is_over() const = 0;

  std::int32_t ranks() const { return ranks_; }
  std::int32_t rank() const { return rank_; }
  bool is_other_rank(std::int32_t other) const {
    return 0 <= other && other < ranks_ && other != rank_;
  }
  std::int32_t blocks() const { return blocks_; }
  std::int32_t receive_window() const { return window_.receives; }
  const HeldBlocks& held() const { return held_; }
  // What is held and passed on from now on, in place of blocks of the output: those of the operand,
  // which are all there, or those of scratch, as what is received is combined with them.
  void hold_blocks_of(Buffer buffer);
  std::vector<std::int32_t> all_ranks() const;
  // The members of a group that a control message of rank 0 names; see members.hpp. Refuses others.
  std::vector<std::int32_t> members_in(std::span<const std::int32_t> numbers) const;

  void send_control(std::int32_t peer, std::initializer_list<std::int32_t> control);
  void send_control(std::int32_t peer, std::vector<std::int32_t> control);
  // One more control message, from this peer or from anybody; always the same one.
  void receive_control(std::int32_t peer);
  void wait(double seconds);
  // The blocks that are not there yet, in their order, until all are there or the peer ends it.
  void take_from(std::int32_t peer);
  bool was_ended() const;  // and all is in that will come
  // Blocks from `first` on, as they come. The peer has that many receives posted at most. is_paced:
  // control messages are to follow. What goes to a peer that has not arrived must not wait for it:
  // it is not paced.
  void pass_to(std::int32_t peer, std::int32_t first, std::int32_t peer_window,
               bool is_paced = true, bool is_near = false);
  // No more of them: how many blocks the peer has or gets, counted from block 0.
  std::int32_t stop_passing_to(std::int32_t peer);
  std::int32_t under_way_to(std::int32_t peer) const { return forwarding_.under_way_to(peer); }
  bool is_passing() const { return forwarding_.any(); }
  // `members` in the order of the schedule's ranks.
  // has_control_to_come: its sends are not to fill the port. Several run at once, and what is
  // passed on beside them, as long as they only read what this rank has.
  void run(std::shared_ptr<const Schedule> schedule, std::vector<std::int32_t> members,
           bool has_control_to_come = false);
  bool is_running() const { return first_group_ < groups_.size(); }
  // The members of the group that this rank is served in, which all of them know.
  void note_group(std::span<const std::int32_t> members) {
    served_all_together_ = static_cast<std::int32_t>(members.size()) == ranks_;
  }

 private:
  struct Outgoing {
    std::int32_t peer;
    std::vector<std::int32_t> control;
  };
  struct Taking {
    std::int32_t peer = nobody;
    std::int32_t next = 0;
    std::int32_t under_way = 0;
    bool ended = false;
  };
  struct RunningGroup {
    std::vector<std::int32_t> members;
    ScheduleExecution execution;
    bool writes_held = false;  // brings the first rank some of what it has from the beginning
    bool has_begun = false;
  };
  struct Slot {
    enum class Use : std::uint8_t {
      none,
      send_control,
      receive_control,
      wait,
      group,
      bounce,  // of a group: what was received is kept until it is combined
      taking,
      forwarding
    } use;
    std::uint32_t index = 0;  // of the group or forwarding
    Ticket ticket = 0;        // of the group's execution
    std::int32_t block = 0;
    // What a receive of a group brings, or is combined with.
    std::span<const BlockSet> block_sets;
    std::int32_t shift = 0;
  };

  Ticket ticket_for(const Action& action, std::uint32_t group);
  bool next_control(Action& action);
  bool next_of_groups(Action& action);
  void drop_finished_groups();
  bool next_taking(Action& action);
  bool next_forwarding(Action& action);
  bool may_go_on(const RunningGroup& group, bool is_first) const;
  bool is_held_written() const;
  Ticket take_slot(Slot slot);
  Slot give_back(Ticket ticket);
  void hold(const Slot& slot);
  void start_block(Action& action, Action::Kind kind, std::int32_t peer, std::int32_t block);

  std::int32_t ranks_;
  std::int32_t rank_;
  std::int32_t blocks_;
  Window window_;
  std::int32_t tag_;
  HeldBlocks held_;
  Buffer held_in_ = Buffer::output;
  bool has_begun_ = false;
  bool served_all_together_ = false;

  std::vector<Outgoing> outbox_;  // from first_outgoing_ on
  std::size_t first_outgoing_ = 0;
  std::int32_t control_sends_under_way_ = 0;
  std::int32_t control_peer_ = nobody;
  std::int32_t control_expected_ = 0;
  bool awaits_control_ = false;
  double wait_s_ = -1;
  Taking taking_;
  ForwardingQueue forwarding_;
  std::vector<std::unique_ptr<RunningGroup>> groups_;
  std::size_t first_group_ = 0;
  std::vector<Slot> slots_;
  std::vector<Ticket> free_slots_;
  BlockSet block_set_;                      // of the last action
  std::vector<std::int32_t> last_control_;  // control messages of the last action
};

}  // namespace anabranch
