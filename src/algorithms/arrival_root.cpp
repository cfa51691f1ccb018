// The root: learns who arrives and decides whose blocks each receiver takes.
#include <algorithm>
#include <utility>

#include "algorithms/arrival_roles.hpp"

namespace anabranch::arrival_aware {
namespace {

class Root final : public Protocol {
 public:
  Root(const Group& group, std::int32_t block_count, const Conditions& conditions,
       const ArrivalRules& rules, const GroupSchedules& groups)
      : Protocol(group.ranks, 0, block_count, conditions.window, conditions.tag),
        rules_(rules),
        groups_(groups),
        receivers_(static_cast<std::size_t>(group.ranks)) {}

  std::unique_ptr<Execution> clone() const override { return std::make_unique<Root>(*this); }

  std::int32_t pending_control_messages() const override { return ranks() - 1 - arrived_count_; }
  std::int32_t last_arrived() const override { return last_arrived_; }

  void describe_state(std::vector<std::int32_t>& state) const override {
    Protocol::describe_state(state);
    for (const ReceiverState& one : receivers_) {
      state.insert(state.end(), {one.has_arrived, one.is_served, one.successor, one.window});
    }
    state.insert(state.end(), waiting_.begin(), waiting_.end());
    for (const auto& [rank, first] : deferred_) state.insert(state.end(), {rank, first});
    state.insert(state.end(), {gathering_, is_gathered_, came_while_gathering_, gathered_times_,
                               last_, last_may_relay_, open_relays_});
  }

 private:
  struct ReceiverState {
    bool has_arrived = false;
    bool is_served = false;  // it was told whose blocks it takes
    std::int32_t successor = nobody;
    std::int32_t window = 0;
  };

  ReceiverState& of(std::int32_t rank) { return receivers_[static_cast<std::size_t>(rank)]; }
  bool all_arrived() const { return arrived_count_ == ranks() - 1; }
  bool all_served() const { return served_count_ == ranks() - 1; }
  bool is_busy() const { return is_passing() || is_running(); }

  void begin() override {
    if (ranks() > 1) receive_control(Action::anybody);
  }

  void on_control(std::int32_t peer, std::span<const std::int32_t> control) override {
    require(is_whole(control));
    switch (control[0]) {
      case arrived:
        require(!of(peer).has_arrived && is_window(control[1]));
        ++arrived_count_;
        last_arrived_ = peer;
        of(peer).has_arrived = true;
        of(peer).window = control[1];
        if (!of(peer).is_served) waiting_.push_back(peer);
        came_while_gathering_ = true;
        break;
      case retiring:
        if (of(peer).successor != nobody) break;  // it will be told
        require(of(peer).is_served && open_relays_ > 0);
        last_may_relay_ = false;
        --open_relays_;
        send_control(peer, {successor, nobody, 0});
        break;
      case passed_on: {
        const std::int32_t next = of(peer).successor;
        require(next != nobody && open_relays_ > 0 && 0 <= control[1] && control[1] <= blocks());
        --open_relays_;
        if (control[1] < blocks()) pass_after_groups(next, control[1]);
        break;
      }
      default:
        require(false);
    }
    if (!all_arrived() || open_relays_ > 0) receive_control(Action::anybody);
  }

  // Where somebody came meanwhile others may be close behind.
  void on_time() override {
    gathering_ = false;
    is_gathered_ = !came_while_gathering_ || ++gathered_times_ == most_gathered_times;
  }

  void on_progress() override {
    if (!is_running()) pass_deferred();
    if (rules_.relays) relay();
    if (!waiting_.empty() && may_serve()) serve_waiting();
    if (rules_.pushes && waiting_.empty() && !is_busy()) push();
  }

  // Each of those who wait takes from the one before.
  void relay() {
    std::size_t relayed = 0;
    for (; relayed < waiting_.size() && last_may_relay_; ++relayed) {
      const std::int32_t rank = waiting_[relayed];
      send_control(last_, {successor, rank, of(rank).window});
      of(last_).successor = rank;
      serve(rank, last_, !all_arrived() || relayed + 1 < waiting_.size());
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(relayed));
  }

  bool may_serve() {
    // In rounds, as in the paper, where nobody relays.
    if (!rules_.relays && is_busy()) return false;
    if (rules_.gather_s <= 0 || all_arrived() || is_gathered_) return true;
    if (!gathering_) {
      came_while_gathering_ = false;
      wait(rules_.gather_s);
    }
    gathering_ = true;
    return false;
  }

  void serve_waiting() {
    gathering_ = is_gathered_ = false;
    gathered_times_ = 0;
    const std::size_t count = rules_.groups ? waiting_.size() : 1;
    if (count == 1) {
      const std::int32_t rank = waiting_.front();
      waiting_.erase(waiting_.begin());
      serve(rank, 0, rules_.relays && (!all_arrived() || !waiting_.empty()));
      pass_after_groups(rank, 0);
    } else {
      serve_group();
    }
  }

  // A group that is nearly through came before, and is not to share the port with a whole message.
  void pass_after_groups(std::int32_t rank, std::int32_t first) {
    deferred_.emplace_back(rank, first);
    if (!is_running()) pass_deferred();
  }

  void pass_deferred() {
    for (const auto& [rank, first] : deferred_) pass_to(rank, first, of(rank).window);
    deferred_.clear();
  }

  void serve(std::int32_t rank, std::int32_t source, bool may_relay) {
    mark_served(rank);
    send_control(rank, {from_rank, source, may_relay});
    if (rules_.relays) set_last(rank, may_relay);
  }

  void serve_group() {
    std::vector<std::int32_t> members = {0};
    members.insert(members.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    // In the same order whoever arrived first: ranks keep their neighbours from one broadcast to
    // the next, and with them their connections.
    std::ranges::sort(members);
    const bool may_relay = rules_.relays && !all_arrived();
    const auto size = static_cast<std::int32_t>(members.size());
    const std::int32_t algorithm = groups_.choose(size, may_relay);
    std::vector<std::int32_t> control = {in_group, algorithm, may_relay};
    control.insert(control.end(), members.begin(), members.end());
    for (const std::int32_t rank : members) {
      if (rank == 0) continue;
      mark_served(rank);
      send_control(rank, control);
    }
    if (rules_.relays) set_last(members.back(), may_relay);
    run(groups_.schedule(algorithm, size, 0), std::move(members), !all_arrived());
  }

  void mark_served(std::int32_t rank) {
    of(rank).is_served = true;
    ++served_count_;
  }

  void set_last(std::int32_t rank, bool may_relay) {
    last_ = rank;
    last_may_relay_ = may_relay;
    open_relays_ += may_relay ? 1 : 0;
  }

  // To the next one that is absent, as if it were there: what is sent to it waits there for it.
  void push() {
    if (all_served() || pushed_count() >= rules_.max_pushed) return;
    std::int32_t rank = 1;
    while (of(rank).is_served) ++rank;
    serve(rank, 0, false);
    pass_to(rank, 0, receive_window(), false);
  }

  std::int32_t pushed_count() const {
    return static_cast<std::int32_t>(std::ranges::count_if(
        receivers_, [](const ReceiverState& one) { return one.is_served && !one.has_arrived; }));
  }

  bool is_over() const override { return all_served() && open_relays_ == 0 && deferred_.empty(); }

  ArrivalRules rules_;
  const GroupSchedules groups_;
  std::vector<ReceiverState> receivers_;
  std::vector<std::int32_t> waiting_;  // arrived, and not told whose blocks they take
  std::vector<std::pair<std::int32_t, std::int32_t>> deferred_;  // rank and first block
  std::int32_t arrived_count_ = 0;
  std::int32_t last_arrived_ = nobody;  // for reports
  std::int32_t served_count_ = 0;
  std::int32_t open_relays_ = 0;  // those of whom a `retiring` or `passed_on` is still to come
  static constexpr std::int32_t most_gathered_times = 4;
  bool gathering_ = false;
  bool is_gathered_ = false;
  bool came_while_gathering_ = false;
  std::int32_t gathered_times_ = 0;
  std::int32_t last_ = nobody;  // the one that was served last
  bool last_may_relay_ = false;
};

}  // namespace

std::unique_ptr<Execution> start_root(const Group& group, std::int32_t blocks,
                                      const Conditions& conditions, const ArrivalRules& rules,
                                      const GroupSchedules& groups) {
  return std::make_unique<Root>(group, blocks, conditions, rules, groups);
}

}  // namespace anabranch::arrival_aware
