// What rank 0 does: which step when, how often, and what it writes down.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/enough.hpp"
#include "bench/json_line.hpp"
#include "bench/link.hpp"
#include "bench/options.hpp"
#include "bench/points.hpp"
#include "bench/steps.hpp"

namespace anabranch::bench {

class Measurement {
 public:
  Measurement(const Options& options, const std::vector<Point>& points, Steps& steps, int peer,
              bool clocks_are_shared, std::FILE* events)
      : options_(options),
        points_(points),
        steps_(steps),
        link_(steps, peer, events),
        clocks_are_shared_(clocks_are_shared),
        events_(events),
        lead_s_(options.lead_s) {}

  // False where a result was wrong, which the events tell.
  bool carry_out() {
    synchronise();
    link_.measure();
    bool is_right = true;
    for (std::size_t i = 0; i < options_.sizes.size() && is_right; ++i) {
      is_right = measure_size(options_.sizes[i]);
    }
    synchronise();
    steps_.finish();
    if (is_right) JsonLine("done").write(events_);
    return is_right;
  }

 private:
  static constexpr int most_missed_starts = 6;
  static constexpr double longest_lead_s = 2;
  static constexpr std::int64_t primed_up_to_bytes = 64 * 1024;
  static constexpr double longest_delay_s = 300;

  // One call with a size, and where it belongs.
  struct Turn {
    std::int64_t size_bytes = 0;
    std::size_t algorithm = 0;
    int repetition = 0;  // of its pattern
    int pattern = -1;    // counted over all points; -1: all arrive at once
    std::vector<double> delays_s;
    Step::Learns learns = Step::Learns::nothing;
  };

  void synchronise() {
    Offsets found = steps_.synchronise();
    JsonLine line("clock");
    line.seconds("time_s", found.time_s)
        .seconds("estimated_offset_s", found.offset_s)
        .seconds("round_trip_s", found.round_trip_s);
    if (clocks_are_shared_) found.offset_s.assign(found.offset_s.size(), 0);
    line.seconds("offset_s", found.offset_s).write(events_);
    offset_s_ = found.offset_s;
    link_.set_offsets(offset_s_);
    steps_.tell_offsets(offset_s_);
  }

  bool measure_size(std::int64_t size_bytes) {
    synchronise();
    for (int i = 0; i < options_.warmup; ++i) {
      for (std::size_t algorithm = 0; algorithm < options_.algorithms.size(); ++algorithm) {
        if (!sample({.size_bytes = size_bytes, .algorithm = algorithm})) return false;
      }
      link_.warm_up(size_bytes);
    }
    if (!learn(size_bytes)) return false;
    link_.begin_size();
    int patterns_before = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (i > 0) synchronise();
      const bool is_delayed = !points_[i].patterns.front().empty();
      if (is_delayed && i == 0) link_.send_the_fewest(size_bytes);
      if (!measure_point(size_bytes, i, is_delayed ? patterns_before : -1)) return false;
      patterns_before += static_cast<int>(points_[i].patterns.size());
    }
    link_.send_the_fewest(size_bytes);
    count_traffic(size_bytes);
    return true;
  }

  // Calls as those that are measured, so that what the guard compares is what will be.
  bool learn(std::int64_t size_bytes) {
    const auto found = std::ranges::find(options_.algorithms, by_default);
    if (found == options_.algorithms.end()) return true;
    Turn turn{.size_bytes = size_bytes,
              .algorithm = static_cast<std::size_t>(found - options_.algorithms.begin()),
              .learns = Step::Learns::first};
    const double begin_s = steps_.clock().now_s();
    for (int call = 0; call < options_.learning_calls; ++call) {
      if (!sample(turn)) return false;
      turn.learns = Step::Learns::further;
      if (steps_.clock().now_s() - begin_s > options_.learning_s) break;
    }
    return true;
  }

  // Of all algorithms; what counting itself costs is that of no calls.
  void count_traffic(std::int64_t size_bytes) {
    if (options_.traffic_calls == 0) return;
    constexpr int repetitions = 3;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      Step step{.size_bytes = size_bytes, .calls = 0};
      const std::int64_t idle_bytes = steps_.count_traffic(step);
      step.calls = options_.traffic_calls;
      for (std::size_t i = 0; i < options_.algorithms.size(); ++i) {
        announce_turn(i, size_bytes);
        step.algorithm = static_cast<std::int32_t>(i);
        JsonLine("traffic")
            .integer("size_bytes", size_bytes)
            .text("algorithm", options_.algorithms[i])
            .integer("repetition", repetition)
            .integer("calls", step.calls)
            .integer("sent_bytes", steps_.count_traffic(step) - idle_bytes)
            .write(events_);
      }
    }
  }

  // So that whoever reads the events knows what ran when they end.
  void announce_turn(std::size_t algorithm, std::int64_t size_bytes) {
    JsonLine("turn")
        .text("algorithm", options_.algorithms[algorithm])
        .integer("size_bytes", size_bytes)
        .write(events_);
  }

  // All algorithms in turn on each pattern, each time from another one on, until every median is
  // known well enough, see enough.hpp. first_pattern: its number over all points, or -1 where
  // nobody is delayed.
  bool measure_point(std::int64_t size_bytes, std::size_t index, int first_pattern) {
    const Point& point = points_[index];
    const std::size_t count = options_.algorithms.size();
    std::vector<std::vector<double>> results_s(count);
    const double begin_s = steps_.clock().now_s();
    std::string reason;
    std::size_t turns = 0;
    for (int repetition = 0; reason.empty(); ++repetition) {
      for (std::size_t pattern = 0; pattern < point.patterns.size(); ++pattern, ++turns) {
        Turn turn{.size_bytes = size_bytes, .repetition = repetition};
        if (first_pattern >= 0) turn.pattern = first_pattern + static_cast<int>(pattern);
        for (const double delay : point.patterns[pattern]) {
          turn.delays_s.push_back(delay * link_.message_s());
        }
        if (!is_bearable(turn)) return false;
        for (std::size_t i = 0; i < count; ++i) {
          turn.algorithm = (i + turns) % count;
          if (!sample(turn, &results_s[turn.algorithm])) return false;
        }
        link_.send_next(size_bytes);
      }
      const double elapsed_s = steps_.clock().now_s() - begin_s;
      reason = why_enough(extent_of(point), repetition + 1, results_s, elapsed_s);
    }
    JsonLine("size")
        .integer("size_bytes", size_bytes)
        .integer("point", static_cast<std::int64_t>(index))
        .text("ended_by", reason)
        .write(events_);
    return true;
  }

  Extent extent_of(const Point& point) const {
    return {.minimum_repetitions = point.minimum_repetitions,
            .maximum_repetitions = point.maximum_repetitions,
            .extended_repetitions = point.extended_repetitions,
            .precision = options_.precision,
            .tolerated_precision = options_.tolerated_precision,
            .maximum_s = options_.maximum_s};
  }

  bool is_bearable(const Turn& turn) {
    double longest_s = 0;
    for (const double delay_s : turn.delays_s) longest_s = std::max(longest_s, delay_s);
    if (longest_s <= longest_delay_s) return true;
    JsonLine("error")
        .text("message", "a pattern makes a rank wait for " + std::to_string(longest_s) +
                             " s, more than " + std::to_string(longest_delay_s) +
                             " s: give smaller delays or sizes")
        .write(events_);
    return false;
  }

  // Timed calls in a row, again where somebody heard of the start too late; adds what they are
  // judged by to `results_s`. Without these it is one call. False where a result was wrong.
  bool sample(const Turn& turn, std::vector<double>* results_s = nullptr) {
    Step step{
        .algorithm = static_cast<std::int32_t>(turn.algorithm),
        .size_bytes = turn.size_bytes,
        .calls = results_s != nullptr ? options_.calls : 1,
        .learns = turn.learns,
        .is_primed = turn.size_bytes <= primed_up_to_bytes && turn.learns == Step::Learns::nothing};
    announce_turn(turn.algorithm, turn.size_bytes);
    Operated found;
    for (int tries = 0; tries < most_missed_starts; ++tries) {
      step.call = ++calls_;
      step.lead_s = lead_s_;
      found = steps_.operate(step, turn.delays_s);
      if (!check(found, step)) return false;
      const double slack_s = shortest_slack(found);
      lead_s_ = std::clamp(2 * (step.lead_s - slack_s), options_.lead_s, longest_lead_s);
      if (slack_s > 0) break;
    }
    if (results_s != nullptr) {
      results_s->push_back(turn.pattern < 0 ? completion(found) : average_per_node(found));
      write(found, turn);
    }
    return true;
  }

  // Between hearing of the start and the start; negative where a rank heard of it too late.
  static double shortest_slack(const Operated& found) {
    double slack_s = INFINITY;
    for (const Seen& seen : found.seen) slack_s = std::min(slack_s, seen.slack_s);
    return slack_s;
  }

  bool check(const Operated& found, const Step& step) {
    for (std::size_t rank = 0; rank < found.seen.size(); ++rank) {
      if (found.seen[rank].first_wrong < 0) continue;
      JsonLine("error")
          .text("message", options_.algorithms[static_cast<std::size_t>(step.algorithm)] + " (" +
                               found.ran + ") delivered wrong data: byte " +
                               std::to_string(found.seen[rank].first_wrong) + " of " +
                               std::to_string(step.size_bytes) + " on rank " +
                               std::to_string(rank) + ", root " + std::to_string(options_.root))
          .write(events_);
      return false;
    }
    return true;
  }

  // From the last arrival to the last exit.
  double completion(const Operated& found) const {
    double arrival_s = -INFINITY;
    double exit_s = -INFINITY;
    for (std::size_t rank = 0; rank < found.seen.size(); ++rank) {
      arrival_s = std::max(arrival_s, found.seen[rank].arrival_s + offset_s_[rank]);
      exit_s = std::max(exit_s, found.seen[rank].exit_s + offset_s_[rank]);
    }
    return exit_s - arrival_s;
  }

  // The sum of what each rank spent in the call, over the number of ranks (paper A, 2.2).
  static double average_per_node(const Operated& found) {
    double total_s = 0;
    for (const Seen& seen : found.seen) total_s += seen.exit_s - seen.arrival_s;
    return total_s / static_cast<double>(found.seen.size());
  }

  void write(const Operated& found, const Turn& turn) {
    std::vector<double> arrival_s;
    std::vector<double> exit_s;
    for (const Seen& seen : found.seen) {
      arrival_s.push_back(seen.arrival_s);
      exit_s.push_back(seen.exit_s);
    }
    JsonLine line("sample");
    line.integer("size_bytes", turn.size_bytes)
        .integer("buffer_bytes", steps_.buffer_bytes())
        .text("algorithm", options_.algorithms[turn.algorithm])
        .integer("repetition", turn.repetition)
        .text("ran", found.ran)
        .seconds("start_s", found.start_s)
        .seconds("arrival_s", arrival_s)
        .seconds("exit_s", exit_s);
    if (turn.pattern >= 0) {
      line.integer("pattern", turn.pattern).seconds("delay_s", turn.delays_s);
    }
    line.write(events_);
  }

  const Options& options_;
  const std::vector<Point>& points_;
  Steps& steps_;
  Link link_;
  bool clocks_are_shared_;
  std::FILE* events_;
  double lead_s_;
  std::vector<double> offset_s_;
  std::int64_t calls_ = 0;
};

}  // namespace anabranch::bench
