// The steps of a measurement, each of which all ranks take together. Rank 0 says which is next; the
// others obey until it says that the work is done. Times are read on each rank's own clock.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bench/clock.hpp"
#include "bench/library.hpp"
#include "bench/messages.hpp"
#include "bench/options.hpp"
#include "bench/payload.hpp"
#include "bench/sharing.hpp"

namespace anabranch::bench {

struct Step {
  enum class Kind : std::uint8_t { synchronise, broadcast, one_way, round_trip, finish };
  Kind kind = Kind::finish;
  std::int32_t algorithm = 0;  // index into the options
  std::int64_t size_bytes = 0;
  std::int64_t call = 0;    // number of the broadcast, for its payload
  bool is_primed = false;   // an untimed broadcast of the same kind goes before it
  bool is_delayed = false;  // each rank is told how much later than the start it arrives
  double lead_s = 0;
};

// What a rank saw of a broadcast.
struct Seen {
  double arrival_s = 0;
  double exit_s = 0;
  double slack_s = 0;  // from hearing of the start to the start
  std::int64_t first_wrong = -1;
};

struct Broadcast {
  double start_s = 0;  // agreed, on rank 0's clock
  std::vector<Seen> seen;
  std::string ran;  // what served it
};

// Offsets to add to each rank's clock to get rank 0's, from the shortest of several round trips.
struct Offsets {
  double time_s = 0;  // when, on rank 0's clock
  std::vector<double> offset_s;
  std::vector<double> round_trip_s;
};

struct OneWay {
  double start_s = 0;     // on rank 0's clock
  double sent_s = 0;      // on rank 0's clock
  double received_s = 0;  // on the peer's clock
};

class Steps {
 public:
  explicit Steps(const Options& options) : options_(options) {
    if (options.skewed_rank == messages_.rank()) clock_.skew(options.skew_s, options.skew_drift);
  }

  const Messages& messages() const { return messages_; }
  const Clock& clock() const { return clock_; }
  Library& library() { return library_; }
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
        case Step::Kind::broadcast:
          take_part(step);
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
  Broadcast broadcast(Step step, const std::vector<double>& delays_s) {
    step.kind = Step::Kind::broadcast;
    step.is_delayed = !delays_s.empty();
    delays_s_ = delays_s;
    announce(step);
    return take_part(step);
  }

  OneWay one_way(int peer, std::int64_t size_bytes) {
    announce({.kind = Step::Kind::one_way, .size_bytes = size_bytes});
    payload_.reserve(size_bytes);
    char ready = 0;
    messages_.receive_now(peer, &ready, 1);
    Clock::sleep_for(settling_s);  // until the peer waits for the message
    OneWay found;
    found.start_s = clock_.now_s();
    messages_.send_now(peer, payload_.reserve(size_bytes), static_cast<std::size_t>(size_bytes));
    found.sent_s = clock_.now_s();
    messages_.receive_now(peer, &found.received_s, sizeof(double));
    return found;
  }

  // Both ways, s.
  double round_trip(int peer, std::int64_t size_bytes) {
    announce({.kind = Step::Kind::round_trip, .size_bytes = size_bytes});
    char* data = payload_.reserve(size_bytes);
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

  void call_bcast(const Step& step, std::int64_t call) {
    MPI_Bcast(payload_.reserve(step.size_bytes), static_cast<int>(step.size_bytes), MPI_BYTE,
              options_.root, MPI_COMM_WORLD);
    if (messages_.rank() == options_.damaged_rank && call == options_.damaged_call) {
      payload_.reserve(step.size_bytes)[step.size_bytes / 2] ^= 1;
    }
  }

  Broadcast take_part(const Step& step) {
    const bool is_root = messages_.rank() == options_.root;
    library_.choose(options_.algorithms[static_cast<std::size_t>(step.algorithm)]);
    if (step.is_primed) call_bcast(step, -1);
    const std::uint64_t seed = Payload::seed(step.call, options_.root);
    if (is_root) payload_.fill(step.size_bytes, seed);
    const double delay_s = own_delay_s(step);

    messages_.report_ready();
    Broadcast found;
    found.start_s = clock_.now_s() + step.lead_s;
    messages_.tell(&found.start_s, sizeof(double));
    const double own_start_s = found.start_s - offset_s_;
    Seen seen;
    seen.slack_s = own_start_s - clock_.now_s();
    clock_.wait_until(own_start_s + delay_s, cores_are_shared_);
    seen.arrival_s = clock_.now_s();
    call_bcast(step, step.call);
    seen.exit_s = clock_.now_s();

    found.ran = library_.last_choice();
    seen.first_wrong = payload_.first_wrong(step.size_bytes, seed);
    found.seen = messages_.collect(seen);
    return found;
  }

  double own_delay_s(const Step& step) {
    if (!step.is_delayed) return 0;
    delays_s_.resize(static_cast<std::size_t>(messages_.size()));
    messages_.tell(delays_s_.data(), delays_s_.size() * sizeof(double));
    return delays_s_[static_cast<std::size_t>(messages_.rank())];
  }

  void receive_one_way(const Step& step) {
    char* data = payload_.reserve(step.size_bytes);
    char ready = 0;
    messages_.send_now(0, &ready, 1);
    messages_.receive_now(0, data, static_cast<std::size_t>(step.size_bytes));
    const double received_s = clock_.now_s();
    messages_.send_now(0, &received_s, sizeof(double));
  }

  void echo(const Step& step) {
    char* data = payload_.reserve(step.size_bytes);
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
  Payload payload_;
  std::vector<double> delays_s_;  // of the broadcast under way, by rank
  bool cores_are_shared_ = false;
  double offset_s_ = 0;  // of this rank's clock to rank 0's
};

}  // namespace anabranch::bench
