// A receiver: takes its blocks as the root tells it, and passes them on to a successor, if it gets
// one, until it leaves.
#include <algorithm>
#include <utility>

#include "algorithms/arrival_roles.hpp"

namespace anabranch::arrival_aware {
namespace {

class Receiver final : public Protocol {
 public:
  Receiver(const Group& group, std::int32_t block_count, const Conditions& conditions,
           const GroupSchedules& groups)
      : Protocol(group.ranks, group.rank, block_count, conditions.window, conditions.tag),
        groups_(groups) {}

  std::unique_ptr<Execution> clone() const override { return std::make_unique<Receiver>(*this); }

  void describe_state(std::vector<std::int32_t>& state) const override {
    Protocol::describe_state(state);
    state.insert(state.end(), {has_source_, may_get_successors_, is_retiring_, successor_});
  }

 private:
  static constexpr std::int32_t root = 0;

  void begin() override {
    send_control(root, {arrived, receive_window()});
    receive_control(root);
  }

  void on_control(std::int32_t, std::span<const std::int32_t> control) override {
    require(is_whole(control));
    require(has_source_ == (control[0] == successor || control[0] == no_successor));
    switch (control[0]) {
      case from_rank:
        require(is_other_rank(control[1]));
        has_source_ = true;
        may_get_successors_ = control[2] != 0;
        take_from(control[1]);
        break;
      case in_group:
        join(control);
        break;
      case successor:
        require(may_get_successors_ && is_other_rank(control[1]) && is_window(control[2]));
        pass_to(control[1], 0, control[2], true, control[3] != 0);
        if (control[3] != 0) break;  // it gets all of the message
        require(successor_ == nobody);
        successor_ = control[1];
        break;
      case no_successor:
        require(may_get_successors_ && is_retiring_);
        may_get_successors_ = false;
        break;
      default:
        require(false);
    }
    if (may_get_successors_) receive_control(root);
  }

  void join(std::span<const std::int32_t> control) {
    const GroupChoice choice = {control[1], control[2]};
    std::vector<std::int32_t> members = members_in(control.subspan(4));
    const auto own = std::ranges::find(members, rank());
    require(own != members.end() && groups_.knows(choice, members));
    note_group(members);
    has_source_ = true;
    may_get_successors_ = control[3] != 0;
    auto schedule =
        groups_.schedule(choice, members, static_cast<std::int32_t>(own - members.begin()));
    run(std::move(schedule), std::move(members));
  }

  // So early that the root's answer is there when the last block is.
  std::int32_t retires_with() const {
    return std::clamp(blocks() / 16, std::int32_t{1}, std::int32_t{8});
  }

  void on_progress() override {
    if (!has_source_) return;
    if (was_ended() && !held().all()) take_from(root);
    if (may_get_successors_ && !is_retiring_ && held().prefix() >= blocks() - retires_with()) {
      is_retiring_ = true;
      send_control(root, {retiring});
    }
    // What is under way to the successor gets there while the last blocks come in here.
    if (successor_ != nobody && held().prefix() + under_way_to(successor_) >= blocks()) {
      const std::int32_t passed = stop_passing_to(std::exchange(successor_, nobody));
      send_control(root, {passed_on, passed});
    }
  }

  bool is_over() const override {
    return has_source_ && held().all() && !may_get_successors_ && successor_ == nobody;
  }

  const GroupSchedules groups_;
  bool has_source_ = false;
  bool may_get_successors_ = false;
  bool is_retiring_ = false;
  std::int32_t successor_ = nobody;  // on another node, which is still to be reported
};

}  // namespace

std::unique_ptr<Execution> start_receiver(const Group& group, std::int32_t blocks,
                                          const Conditions& conditions,
                                          const GroupSchedules& groups) {
  return std::make_unique<Receiver>(group, blocks, conditions, groups);
}

}  // namespace anabranch::arrival_aware
