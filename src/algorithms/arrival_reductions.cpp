#include "algorithms/arrival_reductions.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/gathering.hpp"

namespace anabranch {
namespace {

// The first number of a control message.
enum ControlKind : std::int32_t {
  arrived,        // to the first rank
  in_group,       // from it: an algorithm of reduce, members; none: all ranks
  in_last_group,  // an algorithm of reduce, one of bcast, members
  all_at_once,    // an algorithm of allreduce
  in_line,        // the rank to take over from, or nobody
  next_in_line,   // to one in line: the rank that takes over from it
};

// Learns who arrives, and forms the groups.
class FirstRank final : public Protocol {
 public:
  FirstRank(const Group& group, std::int32_t block_count, const Conditions& conditions,
            const ReductionGroups& groups, double gather_s)
      : Protocol(group.ranks, 0, block_count, conditions.window, conditions.tag),
        groups_(groups),
        gathering_(std::max(gather_s, conditions.expected_spread_s)),
        has_arrived_(static_cast<std::size_t>(group.ranks)) {}

  std::unique_ptr<Execution> clone() const override { return std::make_unique<FirstRank>(*this); }
  std::int32_t last_arrived() const override { return last_arrived_; }
  std::vector<std::int32_t> awaited_ranks() const override {
    std::vector<std::int32_t> awaited;
    for (std::int32_t rank = 1; rank < ranks(); ++rank) {
      if (!has_arrived_[static_cast<std::size_t>(rank)]) awaited.push_back(rank);
    }
    return awaited;
  }

  void describe_state(std::vector<std::int32_t>& state) const override {
    Protocol::describe_state(state);
    gathering_.describe_state(state);
    state.insert(state.end(), has_arrived_.begin(), has_arrived_.end());
    state.insert(state.end(), waiting_.begin(), waiting_.end());
    state.insert(state.end(), {served_count_, last_in_line_, has_result_});
  }

 private:
  bool all_arrived() const { return arrived_count_ == ranks() - 1; }

  void begin() override {
    if (ranks() > 1) {
      receive_control(Action::anybody);
    } else if (groups_.is_for_all()) {
      run(groups_.all_at_once(groups_.allreduce(), 0), {0});
    } else {
      run(groups_.in_group(groups_.reduction(1), 1, 0, false), {0});
    }
  }

  void on_control(std::int32_t peer, std::span<const std::int32_t> control) override {
    require(control.size() == 1 && control[0] == arrived);
    auto&& is_there = has_arrived_[static_cast<std::size_t>(peer)];
    require(peer != 0 && !is_there);
    is_there = true;
    ++arrived_count_;
    last_arrived_ = peer;
    waiting_.push_back(peer);
    gathering_.somebody_came();
    if (!all_arrived()) receive_control(Action::anybody);
  }

  void on_time() override { gathering_.time_is_over(); }

  void on_progress() override {
    if (is_running()) {
      if (!groups_.is_for_all()) line_up();
    } else if (last_in_line_ != nobody) {
      take_over();
    } else if (waiting_.empty()) {
      return;
    } else if (gathering_.is_over(all_arrived())) {
      gathering_.forget();
      serve_group();
    } else if (const auto seconds = gathering_.begin()) {
      wait(*seconds);
    }
  }

  void line_up() {
    for (const std::int32_t rank : std::exchange(waiting_, {})) {
      send_control(rank, {in_line, last_in_line_});
      if (last_in_line_ != nobody) send_control(last_in_line_, {next_in_line, rank});
      last_in_line_ = rank;
      ++served_count_;
    }
  }

  void take_over() {
    const std::int32_t last = std::exchange(last_in_line_, nobody);
    send_control(last, {next_in_line, 0});
    run(groups_.taking_over(true), {0, last});
  }

  void serve_group() {
    std::vector<std::int32_t> members = std::exchange(waiting_, {});
    members.push_back(0);
    // In the same order whoever arrived first: ranks keep their neighbours, and with them their
    // connections.
    std::ranges::sort(members);
    note_group(members);
    const auto size = static_cast<std::int32_t>(members.size());
    served_count_ += size - 1;
    if (!groups_.is_for_all() || !all_arrived()) {
      combine(members);
    } else if (size == ranks()) {
      const std::int32_t algorithm = groups_.allreduce();
      tell(members, {all_at_once, algorithm});
      run(groups_.all_at_once(algorithm, 0), std::move(members));
    } else {
      combine_and_pass_on(members);
    }
    has_result_ = true;
  }

  void combine(std::vector<std::int32_t> members) {
    const auto size = static_cast<std::int32_t>(members.size());
    const std::int32_t algorithm = groups_.reduction(size);
    std::vector<std::int32_t> control = {in_group, algorithm};
    if (size < ranks()) add_members(control, members);
    tell(members, control);
    run(groups_.in_group(algorithm, size, 0, has_result_), std::move(members));
  }

  void combine_and_pass_on(const std::vector<std::int32_t>& members) {
    const std::int32_t reduction = groups_.reduction(static_cast<std::int32_t>(members.size()));
    const std::int32_t broadcast = groups_.broadcast();
    std::vector<std::int32_t> control = {in_last_group, reduction, broadcast};
    add_members(control, members);
    const std::vector<std::int32_t> all = all_ranks();
    tell(all, control);
    run(groups_.in_last_group(reduction, broadcast, members, 0, has_result_), all);
  }

  void tell(std::span<const std::int32_t> whom, const std::vector<std::int32_t>& control) {
    for (const std::int32_t rank : whom) {
      if (rank != 0) send_control(rank, control);
    }
  }

  bool is_over() const override { return served_count_ == ranks() - 1 && last_in_line_ == nobody; }

  const ReductionGroups groups_;
  Gathering gathering_;
  std::vector<bool> has_arrived_;
  std::vector<std::int32_t> waiting_;  // arrived, and in no group yet
  std::int32_t arrived_count_ = 0;
  std::int32_t served_count_ = 0;
  std::int32_t last_arrived_ = nobody;  // for reports
  std::int32_t last_in_line_ = nobody;  // whose operands and all before it are still to come
  bool has_result_ = false;
};

// Combines as the first rank tells it, and, in an allreduce, takes the result.
class OtherRank final : public Protocol {
 public:
  OtherRank(const Group& group, std::int32_t block_count, const Conditions& conditions,
            const ReductionGroups& groups)
      : Protocol(group.ranks, group.rank, block_count, conditions.window, conditions.tag),
        groups_(groups) {}

  std::unique_ptr<Execution> clone() const override { return std::make_unique<OtherRank>(*this); }
  std::int32_t scratch_blocks() const override { return groups_.is_for_all() ? 0 : blocks(); }

  void describe_state(std::vector<std::int32_t>& state) const override {
    Protocol::describe_state(state);
    state.insert(state.end(), last_.begin(), last_.end());
    state.insert(state.end(), {has_combined_, is_through_});
  }

 private:
  static constexpr std::int32_t first = 0;

  void begin() override {
    send_control(first, {arrived});
    receive_control(first);
  }

  void on_control(std::int32_t, std::span<const std::int32_t> control) override {
    require(control.size() >= 2 && !is_through_ && last_.empty());
    switch (control[0]) {
      case in_group:
        combine(control[1], control.size() == 2 ? all_ranks() : members_in(control.subspan(2)));
        break;
      case in_last_group:
        require(groups_.is_for_all() && control.size() >= 3);
        last_.assign(control.begin(), control.end());
        break;
      case all_at_once:
        require(groups_.is_for_all() && !has_combined_ && control.size() == 2);
        require(groups_.is_one(control[1], Collective::allreduce, ranks()));
        is_through_ = true;
        note_group(all_ranks());
        run(groups_.all_at_once(control[1], rank()), all_ranks());
        break;
      case in_line:
        require(!groups_.is_for_all() && control.size() == 2);
        stand_in_line(control[1]);
        break;
      case next_in_line:
        require(!groups_.is_for_all() && has_combined_ && is_other_rank(control[1]));
        is_through_ = true;
        pass_to(control[1], 0, receive_window(), false);
        break;
      default:
        require(false);
    }
  }

  void combine(std::int32_t algorithm, std::vector<std::int32_t> members) {
    const auto own = std::ranges::find(members, rank());
    const auto size = static_cast<std::int32_t>(members.size());
    require(!has_combined_ && own != members.end());
    require(groups_.is_one(algorithm, Collective::reduce, size));
    has_combined_ = true;
    note_group(members);
    is_through_ = !groups_.is_for_all();
    if (!is_through_) receive_control(first);
    const auto place = static_cast<std::int32_t>(own - members.begin());
    run(groups_.in_group(algorithm, size, place, false), std::move(members));
  }

  void stand_in_line(std::int32_t before) {
    require(!has_combined_ && (before == nobody || (before != first && is_other_rank(before))));
    has_combined_ = true;
    receive_control(first);
    hold_blocks_of(before == nobody ? Buffer::input : Buffer::scratch);
    if (before != nobody) run(groups_.taking_over(false), {rank(), before});
  }

  // What it has combined must be on its way before the result takes its place.
  void on_progress() override {
    if (last_.empty() || is_running()) return;
    const auto control = std::exchange(last_, {});
    const auto members = members_in(std::span(control).subspan(3));
    const auto size = static_cast<std::int32_t>(members.size());
    require(groups_.is_one(control[1], Collective::reduce, size) &&
            groups_.is_one(control[2], Collective::bcast, ranks()));
    const bool is_member = std::ranges::find(members, rank()) != members.end();
    require(is_member != has_combined_);
    is_through_ = true;
    run(groups_.in_last_group(control[1], control[2], members, rank(), false), all_ranks());
  }

  bool is_over() const override { return is_through_; }

  const ReductionGroups groups_;
  std::vector<std::int32_t> last_;  // the control message of the last group, until that begins
  bool has_combined_ = false;
  bool is_through_ = false;  // nothing is left but what runs
};

}  // namespace

std::unique_ptr<Execution> start_arrival_reduction(const Group& group, std::int32_t blocks,
                                                   const Conditions& conditions,
                                                   Collective collective, std::int64_t gather_us) {
  const ReductionGroups groups(collective, conditions.problem, blocks, conditions.cache);
  if (group.rank == 0) {
    return std::make_unique<FirstRank>(group, blocks, conditions, groups,
                                       static_cast<double>(gather_us) * 1e-6);
  }
  return std::make_unique<OtherRank>(group, blocks, conditions, groups);
}

}  // namespace anabranch
