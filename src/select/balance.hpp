// Whether the ranks come together to the calls of a class, which all of them know alike without a
// message of its own.
//
// A protocol that does not wait for the late serves ranks that are all there as one group, and each
// rank sees whether its group was that of all. If so, the calls that follow need no protocol: one,
// then two, four .. and at most `most_calls`, after each of which the protocol looks again. So what
// its control messages cost vanishes where programs are balanced, and one that ceases to be is
// noticed within so many calls. One call of a class is under way at a time: the next one goes by
// what this one saw.
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
    const std::int32_t next = std::clamp(2 * calls_after_look_, std::int32_t{1}, most_calls);
    const bool is_changed = all_together != (calls_after_look_ > 0);
    changes_ += is_changed ? 1 : 0;
    calls_left_ = calls_after_look_ = all_together ? next : 0;
    return is_changed;
  }
  // A call is made that is to go without it; or natively, by the guard's trial.
  void passed() { --calls_left_; }

  // The root alone: the last rank came so long after it, in a call that should take `call_s`.
  void note_spread(double spread_s, double call_s) {
    spread_s_ = spread_s <= max_share * call_s ? spread_s : 0;
  }
  // How far apart they are expected to come; 0: not together, or nobody knows.
  double expected_spread_s() const { return spread_s_; }

  // How many calls go without it after the last look; 0: none.
  std::int32_t calls_after_look() const { return calls_after_look_; }
  std::int64_t changes() const { return changes_; }

 private:
  // Of a call, that waiting for the others may take.
  static constexpr double max_share = 0.05;

  std::int32_t calls_after_look_ = 0;
  std::int32_t calls_left_ = 0;
  std::int64_t changes_ = 0;
  double spread_s_ = 0;
};

}  // namespace anabranch
