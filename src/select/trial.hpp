// The guard: in the first calls of a class, native and the choice serve in turn, and all ranks drop
// what is slower at the same later call. Pure: who is timed, and how ranks tell each other, is the
// caller's business.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace anabranch {

enum class Way : std::uint8_t { choice, native };

constexpr Way other_than(Way way) { return way == Way::choice ? Way::native : Way::choice; }

// Of one class of calls on one communicator. All ranks make the same calls of a class in the same
// order, so the count of calls alone says whose turn it is, and nobody need ask.
//
// A round: the favourite (at first the choice) and the other serve in turn, `timed_calls` in all.
// The favourite begins and ends, so that each neighbouring pair of calls is a comparison and the
// other serves three times only. Then the favourite goes on until `calls_of_round`, when the sums
// of all ranks are known everywhere. The next round follows after so many calls that what the
// slower one costs stays below `most_lost` of the time of all calls.
class Trial {
 public:
  static constexpr std::size_t timed_calls = 7;
  static constexpr std::size_t pairs = timed_calls - 1;
  // From the last timed call to the first that goes by what it told: no rank waits for one that is
  // fewer calls behind. The two are for ranks that pass sums on in their next calls.
  static constexpr std::int64_t calls_until_known = 32 + 2;
  static constexpr std::int64_t calls_of_round = std::int64_t{timed_calls} - 1 + calls_until_known;
  static constexpr std::int64_t least_between_rounds = 500;
  static constexpr double most_lost = 0.02;
  // The favourite is dropped where it takes at least so many times as long in the median pair, and
  // longer in all pairs but one: first calls make connections.
  static constexpr double clearly_slower = 1.05;
  static constexpr std::size_t pairs_that_may_differ = 1;

  using Times = std::array<std::int64_t, timed_calls>;

  // By whom the next call is to be served, and whether that is timed.
  Way way() const;
  bool is_timed() const { return call_ >= 0 && call_ < std::int64_t{timed_calls}; }
  // The next call goes by the sums of all ranks: `conclude` before.
  bool needs_sums() const { return call_ == calls_of_round; }
  // The last timed call of a round is over: tell all ranks the own times now.
  bool is_to_be_told() const { return call_ == std::int64_t{timed_calls}; }

  // The call is over. `took_s` of this rank counts where it was timed.
  void end_call(double took_s);
  const Times& own_times_ns() const { return times_ns_; }

  struct Verdict {
    Way winner = Way::choice;
    bool is_changed = false;  // the winner was not the favourite
    double times_as_fast =
        1;  // the winner, in the median pair; a favourite that stays may be slower
    std::size_t pairs_won = 0;    // of `pairs`
    std::int64_t next_round = 0;  // calls from here on
  };
  // Sums of own_times_ns() over all ranks; pairs in which one of them is 0 are void, and with them
  // the round.
  Verdict conclude(const Times& sums_ns);

 private:
  Way favourite_ = Way::choice;
  std::int64_t call_ = 0;  // of the round; below 0: until it begins
  Times times_ns_{};
};

// "native from now on: 3.10 times as fast as the choice, faster in 6 of 6 pairs", or "stays".
std::string text_of(const Trial::Verdict& verdict);

}  // namespace anabranch
