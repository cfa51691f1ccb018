#include "model/fluid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/fluid_flows.hpp"
#include "model/fluid_refusals.hpp"

namespace anabranch::fluid {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

double waiting_for_root(std::span<const double> arrivals) {
  double waiting = 0;
  for (const double arrival : arrivals) waiting += std::max(0.0, arrivals[root] - arrival);
  return waiting;
}

}  // namespace

void check_arrivals(std::span<const double> arrivals) {
  if (arrivals.empty()) throw std::invalid_argument("a broadcast needs at least one process");
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (std::isfinite(arrivals[i])) continue;
    throw std::invalid_argument("the arrival of " + process(static_cast<Rank>(i)) +
                                " is no finite time");
  }
}

State::State(Model model, std::span<const double> arrivals)
    : model_(model), processes_(arrivals.size()) {
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    processes_[i].arrival = std::max(0.0, arrivals[i] - arrivals[root]);
  }
  processes_[root].pieces = {{0, 1}};
  processes_[root].prefix = 1;
  order_.reserve(arrivals.size());
}

class Simulator {
 public:
  Simulator(Policy& policy, std::span<const double> arrivals, Model model, bool trace)
      : policy_(policy),
        arrivals_(arrivals),
        state_(model, arrivals),
        flows_(state_),
        trace_(trace),
        still_to_come_(arrivals.size()),
        latest_movement_(trace ? arrivals.size() : 0, std::numeric_limits<std::size_t>::max()) {
    std::iota(still_to_come_.begin(), still_to_come_.end(), Rank{0});
    std::stable_sort(still_to_come_.begin(), still_to_come_.end(), [this](Rank a, Rank b) {
      return state_.of(a).arrival < state_.of(b).arrival;
    });
  }

  Outcome run() {
    while (true) {
      admit();
      let_go();
      if (departed_ == state_.ranks()) return finish();
      const double asked_again_after = decide();
      advance(time_to_next_event(asked_again_after));
      ++outcome_.events;
    }
  }

 private:
  void admit() {
    while (admitted_ < still_to_come_.size()) {
      const Rank rank = still_to_come_[admitted_];
      if (state_.of(rank).arrival > state_.now_ + state_.tolerance()) break;
      state_.of(rank).arrived = true;
      state_.order_.push_back(rank);
      ++admitted_;
    }
  }

  void let_go() {
    for (Rank rank = 0; rank < state_.ranks(); ++rank) {
      if (!state_.present(rank) || !policy_.may_leave(state_, rank)) continue;
      State::Process& one = state_.of(rank);
      if (!state_.complete(rank)) {
        refuse(state_, process(rank) + " leaves without the whole message");
      }
      one.left = true;
      one.exit = std::max(state_.now_, one.arrival);
      ++departed_;
    }
  }

  double decide() {
    wanted_.clear();
    const double asked_again_after = policy_.transfers(state_, wanted_);
    flows_.replace(wanted_);
    return asked_again_after;
  }

  double time_to_next_event(double asked_again_after) const {
    double time = asked_again_after > state_.tolerance() ? asked_again_after : never;
    for (const Flow& flow : flows_.all()) time = std::min(time, flow.time);
    if (admitted_ < still_to_come_.size()) {
      time = std::min(time, state_.of(still_to_come_[admitted_]).arrival - state_.now_);
    }
    if (time == never) halt();
    return time;
  }

  [[noreturn]] void halt() const {
    for (Rank rank = 0; rank < state_.ranks(); ++rank) {
      if (state_.left(rank)) continue;
      refuse(state_, "nothing moves any more, and " + process(rank) + " is still there with " +
                         shown(state_.prefix(rank)) + " of the message");
    }
    refuse(state_, "nothing moves any more");
  }

  void advance(double time) {
    const double start = state_.now_;
    state_.now_ += time;
    for (const Flow& flow : flows_.all()) {
      const double reached = flow.position + time;
      const bool is_end = reached >= flow.until - state_.tolerance();
      const double last = is_end ? flow.until : reached;
      hold(flow.dst, {flow.position, last});
      if (trace_) record({flow.src, flow.dst, {flow.position, last}, start, state_.now_});
    }
  }

  void hold(Rank rank, const Piece& piece) {
    State::Process& one = state_.of(rank);
    const double slack = state_.tolerance();
    std::size_t i = 0;
    while (i < one.pieces.size() && one.pieces[i].last < piece.first - slack) ++i;
    if (i < one.pieces.size() && one.pieces[i].first <= piece.first + slack) {
      one.pieces[i].last = std::max(one.pieces[i].last, piece.last);
    } else {
      one.pieces.insert(one.pieces.begin() + static_cast<std::ptrdiff_t>(i), piece);
    }
    if (i + 1 < one.pieces.size() && one.pieces[i + 1].first <= one.pieces[i].last + slack) {
      one.pieces[i].last = one.pieces[i + 1].last;
      one.pieces.erase(one.pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    const Piece& front = one.pieces.front();
    one.prefix = front.first <= slack ? front.last : 0;
    if (one.prefix >= 1 - slack) one.prefix = 1;
  }

  void record(const Movement& movement) {
    if (movement.end <= movement.start) return;
    std::size_t& known = latest_movement_[at(movement.dst)];
    if (known < outcome_.movements.size()) {
      Movement& latest = outcome_.movements[known];
      if (latest.src == movement.src && latest.end == movement.start &&
          latest.piece.last == movement.piece.first) {
        latest.end = movement.end;
        latest.piece.last = movement.piece.last;
        return;
      }
    }
    known = outcome_.movements.size();
    outcome_.movements.push_back(movement);
  }

  Outcome finish() {
    outcome_.arrivals.assign(arrivals_.begin(), arrivals_.end());
    outcome_.waiting = waiting_for_root(arrivals_);
    outcome_.total = outcome_.waiting;
    for (Rank rank = 0; rank < state_.ranks(); ++rank) {
      const State::Process& one = state_.of(rank);
      outcome_.exits.push_back(arrivals_[root] + one.exit);
      outcome_.total += one.exit - one.arrival;
    }
    for (Movement& movement : outcome_.movements) {
      movement.start += arrivals_[root];
      movement.end += arrivals_[root];
    }
    std::stable_sort(outcome_.movements.begin(), outcome_.movements.end(),
                     [](const Movement& a, const Movement& b) { return a.end < b.end; });
    return std::move(outcome_);
  }

  Policy& policy_;
  std::span<const double> arrivals_;
  State state_;
  Flows flows_;
  bool trace_;
  std::vector<Rank> still_to_come_;
  std::vector<std::size_t> latest_movement_;  // of each receiver
  std::size_t admitted_ = 0;
  Rank departed_ = 0;
  std::vector<Transfer> wanted_;
  Outcome outcome_;
};

double Outcome::worst() const {
  double worst = 0;
  for (std::size_t i = 0; i < exits.size(); ++i) worst = std::max(worst, exits[i] - arrivals[i]);
  return worst;
}

Outcome simulate(Policy& policy, std::span<const double> arrivals, Model model, bool trace) {
  check_arrivals(arrivals);
  return Simulator(policy, arrivals, model, trace).run();
}

Bounds bounds_of(std::span<const double> arrivals, Model model) {
  check_arrivals(arrivals);
  const double waiting = waiting_for_root(arrivals);
  if (arrivals.size() == 1) return {waiting, waiting};
  const auto count = static_cast<double>(arrivals.size());
  if (model == Model::nonblocking) return {count - 1 + waiting, count + waiting};
  const double delta = *std::max_element(arrivals.begin(), arrivals.end()) - arrivals[root];
  return {count + std::max(0.0, delta - (count - 1) / 2) + waiting, count + delta + waiting};
}

}  // namespace anabranch::fluid
