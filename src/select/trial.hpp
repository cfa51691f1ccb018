// The guard: in the first calls of a class, the choice and its rivals (native, and what the model
// cannot rule out) serve in turn, and all ranks drop what is slower at the same later call. Pure:
// who is timed, and how ranks tell each other, is the caller's business.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/collective.hpp"

namespace anabranch {

// Of one class of calls on one communicator. All ranks make the same calls of a class in the same
// order, so the count of calls alone says whose turn it is, and nobody need ask.
//
// Contenders are numbered; 0 is the choice. A round: the favourite (at first the choice) and its
// rivals serve in turn. The favourite begins, ends, and has every other turn, so that each of the
// three turns of a rival has two neighbours to be compared with. After all rivals had one turn it
// has two in a row: programs whose every other call finds late ranks would else have them in the
// turns of one alone. Then the favourite goes on for
// `calls_until_known`, when the sums of all ranks are known everywhere. In the first round
// contender 1 is the only rival, in the second those that were not compared yet. Rivals of which
// it cannot be told whether they are slower have further rounds, and their pairs add up. All that
// goes on at once while little is lost. The next round follows after so many calls that what the
// slower ones cost stays below `most_lost` of the time of all calls, and compares all anew.
//
// A turn is one call or, of short ones, several in a row, of which the second half is timed. Ranks
// leave a short call early and wait in the next ones for those that are still in it, so much of
// what it costs shows there. And who has not served yet has a turn of short calls before the round:
// its first ones make connections, which take longer than they do.
class Trial {
 public:
  static constexpr std::size_t most_contenders = 5;
  static constexpr std::size_t turns_of_a_rival = 3;
  static constexpr std::size_t pairs = 2 * turns_of_a_rival;
  static constexpr std::size_t most_turns = pairs * (most_contenders - 1) + 2;
  static constexpr std::int64_t most_calls_a_turn = 8;
  // From the last timed call to the first that goes by what it told: no rank waits for one that is
  // fewer calls behind. The one is for ranks that pass sums on in their next call.
  static constexpr std::int64_t calls_until_known = 32 + 1;
  static constexpr std::int64_t least_between_rounds = 500;
  static constexpr double most_lost = 0.02;
  // One is slower where it takes at least so many times as long in the median pair, and longer in
  // more pairs than in half of them by so many standard deviations of heads among coins: 5 of 6 and
  // 16 of 24. Not in all: first calls make connections.
  static constexpr double clearly_slower = 1.05;
  static constexpr double least_deviations = 1.6;
  static constexpr std::size_t least_pairs = 5;         // others may be left out
  static constexpr std::size_t most_pairs = 4 * pairs;  // with a rival, until all begins anew

  using Times = std::array<std::int64_t, most_turns>;

  // The choice and at least one more, at most most_contenders.
  explicit Trial(std::size_t contenders = 2, std::int64_t calls_a_turn = 1)
      : contenders_(contenders), calls_a_turn_(calls_a_turn) {
    begin_round(true);
  }

  // Who is to serve the next call, and whether that is timed.
  std::size_t serving() const;
  bool is_timed() const {
    return is_in_turn() && turn() >= settling_.size() && call_ % calls_a_turn_ >= calls_a_turn_ / 2;
  }
  std::size_t turns() const { return pairs * rivals_.size() + 2; }
  // The next call goes by the sums of all ranks: `conclude` before.
  bool needs_sums() const { return call_ == calls_of_turns() - 1 + calls_until_known; }
  // The last turn of a round is over: tell all ranks the own times now.
  bool is_to_be_told() const { return call_ == calls_of_turns(); }

  // The call is over. `took_s` of this rank counts where it was timed. is_comparable: the same on
  // all ranks. A call that did not wait for late ranks is not, as nobody knows for whom others
  // wait.
  void end_call(double took_s, bool is_comparable = true);
  std::span<const std::int64_t> own_times_ns() const { return std::span(times_ns_).first(turns()); }

  struct Verdict {
    std::size_t winner = 0;
    std::size_t other = 0;      // with whom it was compared: the former favourite, else the nearest
    bool is_changed = false;    // the winner was not the favourite
    double times_as_fast = 1;   // in the median pair; a favourite that stays may be slower
    std::size_t pairs_won = 0;  // of so many:
    std::size_t pairs = 0;
    std::int64_t next_round = 0;  // calls from here on; 0: at once, after one of the winner
  };
  // Sums of own_times_ns() over all ranks. Where one of them is 0 they are void, and with them the
  // round.
  Verdict conclude(std::span<const std::int64_t> sums_ns);

  // Who serves where it is nobody's turn.
  std::size_t favourite() const { return favourite_; }
  bool is_in_turn() const { return call_ >= 0 && call_ < calls_of_turns(); }
  bool is_between_rounds() const { return call_ < 0; }
  // All that is known is forgotten; the next call begins the first round.
  void begin_anew();

 private:
  struct Comparison;

  std::int64_t calls_of_turns() const {
    return static_cast<std::int64_t>(settling_.size() + turns()) * calls_a_turn_;
  }
  std::size_t turn() const { return static_cast<std::size_t>(call_ / calls_a_turn_); }
  void begin_round(bool at_once);
  std::size_t turn_of(std::size_t rival_place, std::size_t time) const;
  void add_pairs(std::span<const std::int64_t> sums_ns);
  double lost_on(std::size_t rival_place, std::span<const std::int64_t> sums_ns, double best) const;
  double turns_of(std::size_t contender) const;
  Comparison compared_with(std::size_t rival) const;
  bool is_undecided(std::size_t contender) const;
  Verdict verdict_of(std::span<const Comparison> all) const;
  void make_favourite(std::size_t winner);
  std::int64_t calls_to_next_round(double lost_calls, bool is_void);

  std::size_t contenders_;
  std::int64_t calls_a_turn_;
  std::size_t favourite_ = 0;
  std::size_t compared_ = 1;           // how many contenders, the choice included
  std::vector<std::size_t> settling_;  // they serve before the turns of the round
  std::vector<std::size_t> rivals_;    // of the round
  // Of each contender, by pair: how many times as fast as the favourite.
  std::array<std::vector<double>, most_contenders> speeds_;
  std::int64_t call_ = 0;  // of the round; below 0: until it begins
  double lost_calls_ = 0;  // by slower ones, in rounds that followed each other at once
  Times times_ns_{};       // by turn
  std::array<bool, most_turns> is_left_out_{};  // by turn: it is not comparable
};

// How many calls are a turn where one is priced at call_s: fewer, the more latencies it takes.
std::int64_t calls_a_turn(double call_s, double latency_s);

// By what a rank's times count in the sums. Where the root alone gets a result the others may leave
// at once, whoever serves the call, and it counts for as much as all of them.
double weight_in_sums(Collective collective, bool is_root, std::int32_t ranks);

// "native from now on: 3.10 times as fast as the choice, faster in 6 of 6 pairs", or "stays".
// names: of the contenders.
std::string text_of(const Trial::Verdict& verdict, std::span<const std::string> names);

}  // namespace anabranch
