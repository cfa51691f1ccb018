// What rank 0 does: which step when, how often, and what it writes down.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/json_line.hpp"
#include "bench/median.hpp"
#include "bench/options.hpp"
#include "bench/steps.hpp"

namespace anabranch::bench {

class Plan {
 public:
  Plan(const Options& options, Steps& steps, int peer, bool clocks_are_shared, std::FILE* events)
      : options_(options),
        steps_(steps),
        peer_(peer),
        clocks_are_shared_(clocks_are_shared),
        events_(events),
        lead_s_(options.lead_s) {}

  // False where a payload was wrong, which the events tell.
  bool carry_out() {
    measure_link();
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
  static constexpr int fewest_messages = 5;

  bool has_peer() const { return peer_ > 0; }

  void synchronise() {
    Offsets found = steps_.synchronise();
    JsonLine line("clock");
    line.seconds("time_s", found.time_s)
        .seconds("estimated_offset_s", found.offset_s)
        .seconds("round_trip_s", found.round_trip_s);
    if (clocks_are_shared_) found.offset_s.assign(found.offset_s.size(), 0);
    line.seconds("offset_s", found.offset_s).write(events_);
    offset_s_ = found.offset_s;
    steps_.tell_offsets(offset_s_);
  }

  // Latency from messages of a byte; a longer one in case that the sizes asked for are all short.
  void measure_link() {
    constexpr int short_messages = 31;
    constexpr std::int64_t long_bytes = 128 * 1024;
    synchronise();
    if (!has_peer()) return;
    for (int i = 0; i < short_messages; ++i) {
      send_message(1, i);
      send_round_trip(1, i);
    }
    for (int i = 0; i < fewest_messages; ++i) {
      send_message(long_bytes, i);
      send_round_trip(long_bytes, i);
    }
  }

  void send_message(std::int64_t size_bytes, int repetition) {
    const OneWay found = steps_.one_way(peer_, size_bytes);
    JsonLine("message")
        .integer("size_bytes", size_bytes)
        .integer("repetition", repetition)
        .integer("dst_rank", peer_)
        .seconds("start_s", found.start_s)
        .seconds("sent_s", found.sent_s)
        .seconds("received_s", found.received_s)
        .write(events_);
  }

  void send_round_trip(std::int64_t size_bytes, int repetition) {
    JsonLine("round_trip")
        .integer("size_bytes", size_bytes)
        .integer("repetition", repetition)
        .integer("dst_rank", peer_)
        .seconds("duration_s", steps_.round_trip(peer_, size_bytes))
        .write(events_);
  }

  // All algorithms in turn, each time from another one on, until every median is known well enough.
  bool measure_size(std::int64_t size_bytes) {
    synchronise();
    const std::size_t count = options_.algorithms.size();
    std::vector<std::vector<double>> completion_s(count);
    for (int i = 0; i < options_.warmup; ++i) {
      for (std::size_t algorithm = 0; algorithm < count; ++algorithm) {
        if (!sample(size_bytes, algorithm, -1, nullptr)) return false;
      }
      if (has_peer()) steps_.one_way(peer_, size_bytes);
    }
    const double begin_s = steps_.clock().now_s();
    std::string reason;
    int repetition = 0;
    for (; reason.empty(); ++repetition) {
      for (std::size_t turn = 0; turn < count; ++turn) {
        const std::size_t algorithm = (turn + static_cast<std::size_t>(repetition)) % count;
        if (!sample(size_bytes, algorithm, repetition, &completion_s[algorithm])) return false;
      }
      if (has_peer()) send_message(size_bytes, repetition);
      if (has_peer() && repetition < fewest_messages) send_round_trip(size_bytes, repetition);
      reason = why_enough(completion_s, steps_.clock().now_s() - begin_s);
    }
    for (; has_peer() && repetition < fewest_messages; ++repetition) {
      send_message(size_bytes, repetition);
      send_round_trip(size_bytes, repetition);
    }
    JsonLine("size").integer("size_bytes", size_bytes).text("ended_by", reason).write(events_);
    return true;
  }

  // Empty while more repetitions are needed.
  std::string why_enough(const std::vector<std::vector<double>>& completion_s,
                         double elapsed_s) const {
    const auto repetitions = static_cast<int>(completion_s.front().size());
    if (repetitions < options_.minimum_repetitions) return "";
    if (repetitions >= options_.maximum_repetitions) return "repetitions";
    if (elapsed_s >= options_.maximum_s) return "seconds";
    for (const auto& values : completion_s) {
      if (relative_half_interval(values) > options_.precision) return "";
    }
    return "precision";
  }

  // One timed broadcast, again where somebody heard of the start too late. Without `completion_s`
  // it is not written down. False where the payload was wrong.
  bool sample(std::int64_t size_bytes, std::size_t algorithm, int repetition,
              std::vector<double>* completion_s) {
    Step step{.algorithm = static_cast<std::int32_t>(algorithm),
              .size_bytes = size_bytes,
              .is_primed = size_bytes <= primed_up_to_bytes};
    Broadcast found;
    for (int tries = 0; tries < most_missed_starts; ++tries) {
      step.call = ++calls_;
      step.lead_s = lead_s_;
      found = steps_.broadcast(step);
      if (!check(found, step)) return false;
      const double slack_s = shortest_slack(found);
      lead_s_ = std::clamp(2 * (step.lead_s - slack_s), options_.lead_s, longest_lead_s);
      if (slack_s > 0) break;
    }
    if (completion_s == nullptr) return true;
    completion_s->push_back(completion(found));
    write(found, step, repetition);
    return true;
  }

  // Between hearing of the start and the start; negative where a rank heard of it too late.
  static double shortest_slack(const Broadcast& found) {
    double slack_s = INFINITY;
    for (const Seen& seen : found.seen) slack_s = std::min(slack_s, seen.slack_s);
    return slack_s;
  }

  bool check(const Broadcast& found, const Step& step) {
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
  double completion(const Broadcast& found) const {
    double arrival_s = -INFINITY;
    double exit_s = -INFINITY;
    for (std::size_t rank = 0; rank < found.seen.size(); ++rank) {
      arrival_s = std::max(arrival_s, found.seen[rank].arrival_s + offset_s_[rank]);
      exit_s = std::max(exit_s, found.seen[rank].exit_s + offset_s_[rank]);
    }
    return exit_s - arrival_s;
  }

  void write(const Broadcast& found, const Step& step, int repetition) {
    std::vector<double> arrival_s;
    std::vector<double> exit_s;
    for (const Seen& seen : found.seen) {
      arrival_s.push_back(seen.arrival_s);
      exit_s.push_back(seen.exit_s);
    }
    JsonLine("sample")
        .integer("size_bytes", step.size_bytes)
        .text("algorithm", options_.algorithms[static_cast<std::size_t>(step.algorithm)])
        .integer("repetition", repetition)
        .text("ran", found.ran)
        .seconds("start_s", found.start_s)
        .seconds("arrival_s", arrival_s)
        .seconds("exit_s", exit_s)
        .write(events_);
  }

  const Options& options_;
  Steps& steps_;
  int peer_;
  bool clocks_are_shared_;
  std::FILE* events_;
  double lead_s_;
  std::vector<double> offset_s_;
  std::int64_t calls_ = 0;
};

}  // namespace anabranch::bench
