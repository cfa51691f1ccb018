// The steps of a measurement, each of which all ranks take together. Rank 0 says which is next; the
// others obey until it says that the work is done. Times are read on each rank's own clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bench/buffers.hpp"
#include "bench/clock.hpp"
#include "bench/function.hpp"
#include "bench/library.hpp"
#include "bench/messages.hpp"
#include "bench/options.hpp"
#include "bench/sharing.hpp"
#include "bench/step.hpp"
#include "bench/traffic.hpp"
#include "select/learning.hpp"

namespace anabranch::bench {

class Steps {
 public:
  Steps(const Options& options, const Function& function)
      : options_(options),
        collective_(name_of(function.collective)),
        buffers_(function, messages_.size(), messages_.rank(), options.root, options.parts_grow) {
    if (options.skewed_rank == messages_.rank()) clock_.skew(options.skew_s, options.skew_drift);
  }

  const Messages& messages() const { return messages_; }
  const Clock& clock() const { return clock_; }
  const Library& library() const { return library_; }
  // Of the call that was made last.
  std::int64_t buffer_bytes() const { return buffers_.size_bytes(); }
  // Empty, or why the algorithm cannot be chosen.
  std::string choose(const std::string& algorithm) {
    return library_.choose(collective_, algorithm);
  }
  void share_cores() {
    cores_are_shared_ = true;
    ask_for_short_slices();
  }

  // On ranks other than 0.
  void obey(int peer) {
    while (true) {
      Step step;
      messages_.tell(&step, sizeof(step));
      switch (step.kind) {
        case Step::Kind::synchronise:
          synchronise_with_first();
          break;
        case Step::Kind::operate:
          take_part(step);
          break;
        case Step::Kind::count_traffic:
          take_part_counting(step);
          break;
        case Step::Kind::one_way:
          if (messages_.rank() == peer) receive_one_way(step);
          break;
        case Step::Kind::round_trip:
          if (messages_.rank() == peer) echo(step);
          break;
        case Step::Kind::finish:
          return;
      }
    }
  }

  // The rest is for rank 0.
  void finish() { announce({.kind = Step::Kind::finish}); }

  Offsets synchronise() {
    announce({.kind = Step::Kind::synchronise});
    Offsets found;
    found.time_s = clock_.now_s();
    for (int rank = 0; rank < messages_.size(); ++rank) {
      Reading reading;
      if (rank != 0) {
        char request = 0;
        messages_.send(rank, &request, 1);
        for (int i = 0; i < round_trips; ++i) {
          messages_.receive_now(rank, &request, 1);
          const double now_s = clock_.now_s();
          messages_.send_now(rank, &now_s, sizeof(now_s));
        }
        messages_.receive_now(rank, &reading, sizeof(reading));
      }
      found.offset_s.push_back(reading.offset_s);
      found.round_trip_s.push_back(reading.round_trip_s);
    }
    return found;
  }

  // Which offsets the ranks use to meet. All zero where they share one clock.
  void tell_offsets(const std::vector<double>& offset_s) {
    for (int rank = 1; rank < messages_.size(); ++rank) {
      messages_.send(rank, &offset_s[static_cast<std::size_t>(rank)], sizeof(double));
    }
  }

  // delays_s: by rank, how much later than the start it arrives; empty where all arrive at once.
  Operated operate(Step step, const std::vector<double>& delays_s) {
    step.kind = Step::Kind::operate;
    step.is_delayed = !delays_s.empty();
    delays_s_ = delays_s;
    announce(step);
    return take_part(step);
  }

  // Bytes that all nodes sent in `step.calls` calls, and for agreeing on them.
  std::int64_t count_traffic(Step step) {
    step.kind = Step::Kind::count_traffic;
    announce(step);
    return take_part_counting(step);
  }

  OneWay one_way(int peer, std::int64_t size_bytes) {
    announce({.kind = Step::Kind::one_way, .size_bytes = size_bytes});
    const char* data = message_of(size_bytes);
    char ready = 0;
    messages_.receive_now(peer, &ready, 1);
    Clock::sleep_for(settling_s);  // until the peer waits for the message
    OneWay found;
    found.start_s = clock_.now_s();
    messages_.send_now(peer, data, static_cast<std::size_t>(size_bytes));
    found.sent_s = clock_.now_s();
    messages_.receive_now(peer, &found.received_s, sizeof(double));
    return found;
  }

  // Both ways, s.
  double round_trip(int peer, std::int64_t size_bytes) {
    announce({.kind = Step::Kind::round_trip, .size_bytes = size_bytes});
    char* data = message_of(size_bytes);
    const auto size = static_cast<std::size_t>(size_bytes);
    char ready = 0;
    messages_.receive_now(peer, &ready, 1);
    Clock::sleep_for(settling_s);
    const double start_s = clock_.now_s();
    messages_.send_now(peer, data, size);
    messages_.receive_now(peer, data, size);
    return clock_.now_s() - start_s;
  }

 private:
  static constexpr int round_trips = 25;
  static constexpr double settling_s = 2e-3;
  static constexpr double quiet_s = 60e-3;  // acknowledgements may be 40 ms late

  struct Reading {
    double offset_s = 0;
    double round_trip_s = 0;
  };

  void announce(Step step) { messages_.tell(&step, sizeof(step)); }

  void synchronise_with_first() {
    char request = 0;
    messages_.receive(0, &request, 1);
    Reading best{0, std::numeric_limits<double>::infinity()};
    for (int i = 0; i < round_trips; ++i) {
      double first_s = 0;
      const double before_s = clock_.now_s();
      messages_.send_now(0, &request, 1);
      messages_.receive_now(0, &first_s, sizeof(first_s));
      const double after_s = clock_.now_s();
      if (after_s - before_s < best.round_trip_s) {
        best = {first_s - (before_s + after_s) / 2, after_s - before_s};
      }
    }
    messages_.send_now(0, &best, sizeof(best));
    messages_.receive(0, &offset_s_, sizeof(offset_s_));
  }

  char* message_of(std::int64_t size_bytes) {
    message_.resize(std::max(message_.size(), static_cast<std::size_t>(size_bytes)));
    return message_.data();
  }

  void prepare(const Step& step) {
    const std::string& name = options_.algorithms[static_cast<std::size_t>(step.algorithm)];
    if (step.learns == Step::Learns::first) learning_ = {};
    const bool is_learning = step.learns != Step::Learns::nothing;
    const std::string learnt = name == by_default && !is_learning ? learning_.result() : "";
    library_.guard(is_learning);
    if (learnt.empty() || !choose(learnt).empty()) choose(name);
    buffers_.prepare(step.size_bytes);
  }

  Operated take_part(const Step& step) {
    prepare(step);
    if (step.is_primed) buffers_.call();
    buffers_.fill(step.call);
    const double delay_s = own_delay_s(step);

    messages_.report_ready();
    Operated found;
    found.start_s = clock_.now_s() + step.lead_s;
    messages_.tell(&found.start_s, sizeof(double));
    const double own_start_s = found.start_s - offset_s_;
    Seen seen;
    seen.slack_s = own_start_s - clock_.now_s();
    clock_.wait_until(own_start_s + delay_s, cores_are_shared_);
    seen.arrival_s = clock_.now_s();
    for (int i = 0; i < step.calls; ++i) buffers_.call();
    seen.exit_s = clock_.now_s();

    found.ran = library_.last_choice();
    if (step.learns != Step::Learns::nothing) learning_.note(found.ran);
    if (messages_.rank() == options_.damaged_rank && step.call == options_.damaged_call) {
      buffers_.damage();
    }
    seen.first_wrong = buffers_.first_wrong(step.call);
    found.seen = messages_.collect(seen);
    return found;
  }

  // What is sent before and after settles, so that it is counted in neither reading.
  std::int64_t take_part_counting(const Step& step) {
    prepare(step);
    messages_.report_ready();
    Clock::sleep_for(quiet_s);
    const std::int64_t before_bytes = sent_bytes();
    char go = 0;
    messages_.tell(&go, 1);
    for (int i = 0; i < step.calls; ++i) buffers_.call();
    messages_.report_ready();
    Clock::sleep_for(quiet_s);
    return sum_over_nodes(messages_.collect(NodeTraffic{own_node(), sent_bytes() - before_bytes}));
  }

  double own_delay_s(const Step& step) {
    if (!step.is_delayed) return 0;
    delays_s_.resize(static_cast<std::size_t>(messages_.size()));
    messages_.tell(delays_s_.data(), delays_s_.size() * sizeof(double));
    return delays_s_[static_cast<std::size_t>(messages_.rank())];
  }

  void receive_one_way(const Step& step) {
    char* data = message_of(step.size_bytes);
    char ready = 0;
    messages_.send_now(0, &ready, 1);
    messages_.receive_now(0, data, static_cast<std::size_t>(step.size_bytes));
    const double received_s = clock_.now_s();
    messages_.send_now(0, &received_s, sizeof(double));
  }

  void echo(const Step& step) {
    char* data = message_of(step.size_bytes);
    const auto size = static_cast<std::size_t>(step.size_bytes);
    char ready = 0;
    messages_.send_now(0, &ready, 1);
    messages_.receive_now(0, data, size);
    messages_.send_now(0, data, size);
  }

  const Options& options_;
  Messages messages_;
  Clock clock_;
  Library library_;
  std::string collective_;
  Buffers buffers_;
  Learning learning_;
  std::vector<char> message_;
  std::vector<double> delays_s_;  // of the call under way, by rank
  bool cores_are_shared_ = false;
  double offset_s_ = 0;  // of this rank's clock to rank 0's
};

}  // namespace anabranch::bench
