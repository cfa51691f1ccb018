// Whether the ranks come together to the calls of a class, which all of them know alike without a
// message of its own.
//
// A protocol that does not wait for the late serves ranks that are all there as one group, and each
// rank sees whether its group was that of all. If so, the calls that follow need no protocol: one,
// then two, four .. and at most `most_calls` (or more, where a look costs much beside other calls),
// after each of which the protocol looks again. So what its control messages cost vanishes where
// programs are balanced, and one that ceases to be is noticed within so many calls. One call of a
// class is under way at a time: the next one goes by what this one saw.
//
// In many programs ranks come late to one of several calls in each iteration. So each call with a
// late rank doubles how many looks in a row must see all together before calls go without the
// protocol; only long after the last one is a single look enough again. And looks do not keep a
// fixed distance, which might be that of calls to which nobody comes late.
//
// Processes that begin together still come a little apart, and how far differs between machines.
// The root has seen it, and gathers a group for as long the next time, if that costs little.
#pragma once

#include <algorithm>
#include <cstdint>

namespace anabranch {

class Balance {
 public:
  static constexpr std::int32_t most_calls = 32;

  // Whether the next call is to go without the protocol.
  bool expects_all() const { return calls_left_ > 0; }
  // The protocol has served a call: all ranks as one group, or not. Whether that is a change.
  bool saw(bool all_together) {
    const bool expected_all = calls_after_look_ > 0;
    if (all_together) {
      saw_all();
    } else {
      saw_late();
    }
    const bool is_changed = expected_all != (calls_after_look_ > 0);
    changes_ += is_changed ? 1 : 0;
    return is_changed;
  }
  // A call is made that is to go without it; or natively, by the guard's trial.
  void passed() { --calls_left_; }

  // In how many of its last calls the protocol saw late ranks, up to the last one.
  std::int32_t late_in_a_row() const { return late_in_a_row_; }
  // Looks cost so many times as much more than other calls as one of these costs: they become so
  // rare that this is at most `most_lost` of the time.
  void note_cost_of_looks(double more) {
    constexpr double most_lost = 0.02;
    constexpr double longest = 1000;
    const double calls = std::clamp(more / most_lost, 1.0 * most_calls, longest);
    longest_ = static_cast<std::int32_t>(calls);
    calls_left_ = std::min(calls_left_, longest_);
  }

  // The root alone: the last rank came so long after it, in a call that should take `call_s`.
  void note_spread(double spread_s, double call_s) {
    spread_s_ = spread_s <= max_share * call_s ? spread_s : 0;
  }
  // How far apart they are expected to come; 0: not together, or nobody knows.
  double expected_spread_s() const { return spread_s_; }

  // How many calls go without it after the last look, at most; 0: none.
  std::int32_t calls_after_look() const { return calls_after_look_; }
  std::int64_t changes() const { return changes_; }

 private:
  // Of a call, that waiting for the others may take.
  static constexpr double max_share = 0.05;
  // Looks at the longest distance that see nobody late, until the late are forgotten.
  static constexpr std::int32_t looks_until_forgotten = 128;

  void saw_late() {
    looks_needed_ = std::min(2 * looks_needed_, most_calls);
    ++late_in_a_row_;
    together_in_a_row_ = 0;
    looks_at_longest_ = 0;
    calls_left_ = calls_after_look_ = 0;
  }
  void saw_all() {
    late_in_a_row_ = 0;
    together_in_a_row_ = std::min(together_in_a_row_ + 1, most_calls);
    if (together_in_a_row_ < looks_needed_) return;
    calls_left_ = calls_after_look_ = std::clamp(2 * calls_after_look_, 1, longest_);
    if (calls_after_look_ < longest_) return;
    calls_left_ -= looks_at_longest_ % 8;
    if (++looks_at_longest_ == looks_until_forgotten) looks_needed_ = 1;
    looks_at_longest_ %= looks_until_forgotten;
  }

  std::int32_t calls_after_look_ = 0;
  std::int32_t calls_left_ = 0;
  std::int32_t longest_ = most_calls;
  std::int32_t looks_needed_ = 1;
  std::int32_t together_in_a_row_ = 0;
  std::int32_t late_in_a_row_ = 0;
  std::int32_t looks_at_longest_ = 0;
  std::int64_t changes_ = 0;
  double spread_s_ = 0;
};

}  // namespace anabranch
