// A receiver: takes its blocks as the root tells it, and passes them on to a successor, if it gets
// one, until it leaves.
#include <algorithm>
#include <functional>
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
    state.insert(state.end(), {has_source_, may_get_successor_, is_retiring_, knows_successor_,
                               successor_, has_reported_});
  }

 private:
  static constexpr std::int32_t root = 0;

  void begin() override {
    send_control(root, {arrived, receive_window()});
    receive_control(root);
  }

  void on_control(std::int32_t, std::span<const std::int32_t> control) override {
    require(is_whole(control));
    require(has_source_ == (control[0] == successor));
    switch (control[0]) {
      case from_rank:
        require(is_other_rank(control[1]));
        has_source_ = true;
        may_get_successor_ = control[2] != 0;
        take_from(control[1]);
        break;
      case in_group:
        join(control);
        break;
      case successor:
        require(may_get_successor_ && !knows_successor_);
        require(control[1] == nobody || (is_other_rank(control[1]) && is_window(control[2])));
        knows_successor_ = true;
        successor_ = control[1];
        if (successor_ != nobody) pass_to(successor_, 0, control[2]);
        return;
      default:
        require(false);
    }
    if (may_get_successor_) receive_control(root);
  }

  bool is_other_rank(std::int32_t other) const {
    return 0 <= other && other < ranks() && other != rank();
  }

  void join(std::span<const std::int32_t> control) {
    std::vector<std::int32_t> members(control.begin() + 3, control.end());
    const auto own = std::ranges::find(members, rank());
    // The root is the first, and none is there twice.
    require(own != members.end() && members.front() == root && members.back() < ranks());
    require(std::ranges::adjacent_find(members, std::greater_equal<>()) == members.end());
    require(groups_.knows(control[1], static_cast<std::int32_t>(members.size())));
    has_source_ = true;
    may_get_successor_ = control[2] != 0 && rank() == members.back();
    const auto place = static_cast<std::int32_t>(own - members.begin());
    auto schedule = groups_.schedule(control[1], static_cast<std::int32_t>(members.size()), place);
    run(std::move(schedule), std::move(members));
  }

  // So early that the root's answer is there when the last block is.
  std::int32_t retires_with() const {
    return std::clamp(blocks() / 16, std::int32_t{1}, std::int32_t{8});
  }

  void on_progress() override {
    if (!has_source_) return;
    if (was_ended() && !held().all()) take_from(root);
    if (may_get_successor_ && !knows_successor_ && !is_retiring_ &&
        held().prefix() >= blocks() - retires_with()) {
      is_retiring_ = true;
      send_control(root, {retiring});
    }
    // What is under way to the successor gets there while the last blocks come in here.
    if (successor_ != nobody && !has_reported_ &&
        held().prefix() + under_way_to(successor_) >= blocks()) {
      has_reported_ = true;
      send_control(root, {passed_on, stop_passing_to(successor_)});
    }
  }

  bool is_over() const override {
    return has_source_ && held().all() && (!may_get_successor_ || knows_successor_) &&
           (successor_ == nobody || has_reported_);
  }

  const GroupSchedules groups_;
  bool has_source_ = false;
  bool may_get_successor_ = false;
  bool is_retiring_ = false;
  bool knows_successor_ = false;
  bool has_reported_ = false;
  std::int32_t successor_ = nobody;
};

}  // namespace

std::unique_ptr<Execution> start_receiver(const Group& group, std::int32_t blocks,
                                          const Conditions& conditions,
                                          const GroupSchedules& groups) {
  return std::make_unique<Receiver>(group, blocks, conditions, groups);
}

}  // namespace anabranch::arrival_aware
