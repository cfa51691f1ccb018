// The root: learns who arrives and decides whose blocks each receiver takes.
#include <algorithm>
#include <optional>
#include <utility>

#include "algorithms/arrival_roles.hpp"
#include "algorithms/gathering.hpp"
#include "algorithms/hierarchy.hpp"

namespace anabranch::arrival_aware {
namespace {

class Root final : public Protocol {
 public:
  Root(const Group& group, std::int32_t block_count, const Conditions& conditions,
       const ArrivalRules& rules, const GroupSchedules& groups)
      : Protocol(group.ranks, 0, block_count, conditions.window, conditions.tag),
        rules_(rules),
        gathering_(std::max(rules.gather_s, conditions.expected_spread_s)),
        groups_(groups),
        receivers_(static_cast<std::size_t>(group.ranks)) {
    if (group.places != nullptr && !group.places->node_of_rank().empty()) nodes_.emplace(group);
    last_on_node_.assign(static_cast<std::size_t>(nodes_ ? nodes_->count() : group.ranks), nobody);
  }

  std::unique_ptr<Execution> clone() const override { return std::make_unique<Root>(*this); }

  std::int32_t pending_control_messages() const override { return ranks() - 1 - arrived_count_; }
  std::int32_t last_arrived() const override { return last_arrived_; }
  std::vector<std::int32_t> awaited_ranks() const override {
    std::vector<std::int32_t> awaited;
    for (std::int32_t rank = 1; rank < ranks(); ++rank) {
      const ReceiverState& one = receivers_[static_cast<std::size_t>(rank)];
      const bool tells_more = one.may_relay || one.successor != nobody;
      if (!one.has_arrived || tells_more) awaited.push_back(rank);
    }
    return awaited;
  }

  void describe_state(std::vector<std::int32_t>& state) const override {
    Protocol::describe_state(state);
    for (const ReceiverState& one : receivers_) {
      state.insert(state.end(), {one.has_arrived, one.is_served, one.may_relay, one.successor,
                                 one.successor_on_node, one.window});
    }
    state.insert(state.end(), waiting_.begin(), waiting_.end());
    for (const auto& [rank, first] : deferred_) state.insert(state.end(), {rank, first});
    gathering_.describe_state(state);
    state.insert(state.end(), {last_, open_relays_});
    state.insert(state.end(), last_on_node_.begin(), last_on_node_.end());
  }

 private:
  struct ReceiverState {
    bool has_arrived = false;
    bool is_served = false;  // it was told whose blocks it takes
    bool may_relay = false;  // it can be given successors, and its `retiring` is still to come
    std::int32_t successor = nobody;  // what it lacks when this one leaves is the root's to send
    std::int32_t successor_on_node = nobody;  // gets all of the message from this one
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
        gathering_.somebody_came();
        break;
      case retiring:
        require(of(peer).may_relay);
        close(peer);
        send_control(peer, {no_successor});
        break;
      case passed_on: {
        const std::int32_t next = std::exchange(of(peer).successor, nobody);
        require(next != nobody && 0 <= control[1] && control[1] <= blocks());
        --open_relays_;
        if (control[1] < blocks()) pass_after_groups(next, control[1]);
        break;
      }
      default:
        require(false);
    }
    if (!all_arrived() || open_relays_ > 0) receive_control(Action::anybody);
  }

  void on_time() override { gathering_.time_is_over(); }

  void on_progress() override {
    if (!is_running()) pass_deferred();
    if (rules_.relays) relay();
    if (!waiting_.empty() && may_serve()) serve_waiting();
    // Where ranks relay, those that come together first are to be one group.
    const bool may_push = rules_.pushes && (!rules_.relays || served_count_ > 0);
    if (may_push && waiting_.empty() && !is_busy()) push();
  }

  // Each of those who wait takes from one of its node, or else from the one that came before. The
  // first ones wait for a group.
  void relay() {
    std::vector<std::int32_t> others;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const std::int32_t rank = waiting_[i];
      if (node_of(rank) == node_of(0) && served_count_ > 0) {
        serve(rank, 0, false, false);
        pass_to(rank, 0, of(rank).window, true, true);
        continue;
      }
      const std::int32_t near = last_on_node(rank);
      const std::int32_t source = near != nobody ? near : last_;
      if (source == nobody) {
        others.push_back(rank);
        continue;
      }
      send_control(source, {successor, rank, of(rank).window, near != nobody});
      if (near != nobody) {
        of(near).successor_on_node = rank;
        last_on_node(rank) = nobody;
      } else {
        of(last_).successor = rank;
        last_ = nobody;
        ++open_relays_;
      }
      const bool some_come = !all_arrived() || i + 1 < waiting_.size() || !others.empty();
      serve(rank, source, some_come, last_ == nobody);
    }
    waiting_ = std::move(others);
  }

  bool may_serve() {
    // In rounds, as in the paper, where nobody relays.
    if (!rules_.relays && is_busy()) return false;
    if (gathering_.is_over(all_arrived())) return true;
    if (const auto seconds = gathering_.begin()) wait(*seconds);
    return false;
  }

  void serve_waiting() {
    gathering_.forget();
    const std::size_t count = rules_.groups ? waiting_.size() : 1;
    if (count == 1) {
      const std::int32_t rank = waiting_.front();
      waiting_.erase(waiting_.begin());
      serve(rank, 0, rules_.relays && (!all_arrived() || !waiting_.empty()), true);
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

  // is_next: the next that comes takes from it, wherever it is. Where links differ it may have a
  // slow one.
  void serve(std::int32_t rank, std::int32_t source, bool some_come, bool is_next) {
    mark_served(rank);
    is_next = is_next && !groups_.has_plan();
    const bool may_relay = some_come && (is_next || misses_some(rank));
    send_control(rank, {from_rank, source, may_relay});
    if (may_relay) open(rank, is_next);
  }

  void serve_group() {
    std::vector<std::int32_t> members = {0};
    members.insert(members.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    // In the same order whoever arrived first: ranks keep their neighbours from one broadcast to
    // the next, and with them their connections.
    std::ranges::sort(members);
    note_group(members);
    const bool may_relay = rules_.relays && !all_arrived();
    const std::int32_t absent = may_relay ? ranks() - 1 - arrived_count_ : 0;
    const GroupChoice choice = groups_.choose(members, absent);
    const bool has_next = may_relay && groups_.lets_last_pass_on(choice, members);
    const std::int32_t next = has_next ? first_on_last_node(members) : nobody;
    std::vector<std::int32_t> control = {in_group, choice.algorithm, choice.within, 0};
    add_members(control, members);
    for (const std::int32_t rank : members) {
      if (rank != 0) mark_served(rank);
    }
    for (const std::int32_t rank : members) {
      if (rank == 0) continue;
      const bool is_near = may_relay && is_last_on_node(rank, members) && misses_some(rank);
      control[3] = rank == next || is_near;
      send_control(rank, control);
      if (control[3] != 0) open(rank, rank == next);
    }
    auto schedule = groups_.schedule(choice, members, 0);
    run(std::move(schedule), std::move(members), !all_arrived());
  }

  void mark_served(std::int32_t rank) {
    of(rank).is_served = true;
    ++served_count_;
  }

  void open(std::int32_t rank, bool is_next) {
    of(rank).may_relay = true;
    ++open_relays_;
    if (is_next) last_ = rank;
    if (misses_some(rank)) last_on_node(rank) = rank;
  }

  // It gets no successors any more.
  void close(std::int32_t rank) {
    of(rank).may_relay = false;
    --open_relays_;
    if (last_ == rank) last_ = nobody;
    if (last_on_node(rank) == rank) last_on_node(rank) = nobody;
  }

  // Unknown places count as a node for each rank.
  std::int32_t node_of(std::int32_t rank) const { return nodes_ ? nodes_->of(rank) : rank; }
  std::int32_t& last_on_node(std::int32_t rank) {
    return last_on_node_[static_cast<std::size_t>(node_of(rank))];
  }
  // Whether ranks of its node are not served yet.
  bool misses_some(std::int32_t rank) {
    return nodes_ && std::ranges::any_of(nodes_->members(nodes_->of(rank)), [&](std::int32_t one) {
             return one != 0 && !of(one).is_served;
           });
  }
  bool is_last_on_node(std::int32_t rank, std::span<const std::int32_t> members) const {
    const auto after = std::ranges::upper_bound(members, rank);
    return std::none_of(after, members.end(),
                        [&](std::int32_t other) { return node_of(other) == node_of(rank); });
  }
  // Of the node that comes last in a chain over the nodes of the members.
  std::int32_t first_on_last_node(std::span<const std::int32_t> members) const {
    std::vector<bool> seen(last_on_node_.size());
    std::int32_t found = nobody;
    for (const std::int32_t rank : members) {
      const auto node = static_cast<std::size_t>(node_of(rank));
      if (seen[node]) continue;
      seen[node] = true;
      found = rank;
    }
    return found == 0 ? members.back() : found;
  }

  // To the next one that is absent, as if it were there: what is sent to it waits there for it.
  void push() {
    if (all_served() || pushed_count() >= rules_.max_pushed) return;
    std::int32_t rank = 1;
    while (of(rank).is_served) ++rank;
    serve(rank, 0, false, false);
    pass_to(rank, 0, receive_window(), false);
  }

  std::int32_t pushed_count() const {
    return static_cast<std::int32_t>(std::ranges::count_if(
        receivers_, [](const ReceiverState& one) { return one.is_served && !one.has_arrived; }));
  }

  bool is_over() const override { return all_served() && open_relays_ == 0 && deferred_.empty(); }

  ArrivalRules rules_;
  Gathering gathering_;
  const GroupSchedules groups_;
  std::vector<ReceiverState> receivers_;
  std::vector<std::int32_t> waiting_;  // arrived, and not told whose blocks they take
  std::vector<std::pair<std::int32_t, std::int32_t>> deferred_;  // rank and first block
  std::int32_t arrived_count_ = 0;
  std::int32_t last_arrived_ = nobody;  // for reports
  std::int32_t served_count_ = 0;
  std::int32_t open_relays_ = 0;  // `retiring` and `passed_on` that are still to come
  std::optional<Nodes> nodes_;    // nothing: nobody knows
  // Who gets the next successor: of any node, and of its own, by node. Nobody, or one that may
  // relay.
  std::int32_t last_ = nobody;
  std::vector<std::int32_t> last_on_node_;
};

}  // namespace

std::unique_ptr<Execution> start_root(const Group& group, std::int32_t blocks,
                                      const Conditions& conditions, const ArrivalRules& rules,
                                      const GroupSchedules& groups) {
  return std::make_unique<Root>(group, blocks, conditions, rules, groups);
}

}  // namespace anabranch::arrival_aware
