// Whether the ranks come together to the calls of a class, which all of them know alike without a
// message of its own.
//
// A protocol that does not wait for the late serves ranks that are all there as one group, and each
// rank sees whether its group was that of all. If so, the calls that follow need no protocol: one,
// then two, four .. and at most `most_calls`, after each of which the protocol looks again. So what
// its control messages cost vanishes where programs are balanced, and one that ceases to be is
// noticed within so many calls. One call of a class is under way at a time: the next one goes by
// what this one saw.
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
  // How many calls go without it after the last look; 0: none.
  std::int32_t calls_after_look() const { return calls_after_look_; }
  std::int64_t changes() const { return changes_; }

 private:
  std::int32_t calls_after_look_ = 0;
  std::int32_t calls_left_ = 0;
  std::int64_t changes_ = 0;
};

}  // namespace anabranch
