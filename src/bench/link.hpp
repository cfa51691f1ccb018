// Messages between rank 0 and one on another node, which tell what the network does in T.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "bench/json_line.hpp"
#include "bench/median.hpp"
#include "bench/steps.hpp"

namespace anabranch::bench {

class Link {
 public:
  static constexpr int fewest_messages = 5;  // of each size

  Link(Steps& steps, int peer, std::FILE* events) : steps_(steps), peer_(peer), events_(events) {}

  bool has_peer() const { return peer_ > 0; }
  // By rank, what to add to its clock to get rank 0's.
  void set_offsets(const std::vector<double>& offset_s) {
    if (has_peer()) shift_s_ = offset_s[static_cast<std::size_t>(peer_)];
  }

  // Latency from messages of a byte; a longer one in case that the sizes asked for are all short.
  void measure() {
    constexpr int short_messages = 31;
    constexpr std::int64_t long_bytes = 128 * 1024;
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

  void warm_up(std::int64_t size_bytes) {
    if (has_peer()) steps_.one_way(peer_, size_bytes);
  }
  void begin_size() {
    times_s_.clear();
    spent_s_ = 0;
  }

  // If there is time for it.
  void send_next(std::int64_t size_bytes) {
    if (!can_send()) return;
    const double begin_s = steps_.clock().now_s();
    const auto sent = static_cast<int>(times_s_.size());
    times_s_.push_back(send_message(size_bytes, sent));
    if (sent < fewest_messages) send_round_trip(size_bytes, sent);
    spent_s_ += steps_.clock().now_s() - begin_s;
  }
  void send_the_fewest(std::int64_t size_bytes) {
    while (times_s_.size() < fewest_messages && can_send()) send_next(size_bytes);
    message_s_ = has_peer() ? median(times_s_) : 0;
  }

  // T of the size under way, of the messages up to send_the_fewest().
  double message_s() const { return message_s_; }

 private:
  static constexpr double most_s = 10;  // of a size; over slow links fewer must do

  bool can_send() const { return has_peer() && (times_s_.empty() || spent_s_ < most_s); }

  double send_message(std::int64_t size_bytes, int repetition) {
    const OneWay found = steps_.one_way(peer_, size_bytes);
    JsonLine("message")
        .integer("size_bytes", size_bytes)
        .integer("repetition", repetition)
        .integer("dst_rank", peer_)
        .seconds("start_s", found.start_s)
        .seconds("sent_s", found.sent_s)
        .seconds("received_s", found.received_s)
        .write(events_);
    return std::max(found.sent_s, found.received_s + shift_s_) - found.start_s;
  }

  void send_round_trip(std::int64_t size_bytes, int repetition) {
    JsonLine("round_trip")
        .integer("size_bytes", size_bytes)
        .integer("repetition", repetition)
        .integer("dst_rank", peer_)
        .seconds("duration_s", steps_.round_trip(peer_, size_bytes))
        .write(events_);
  }

  Steps& steps_;
  int peer_;
  std::FILE* events_;
  double shift_s_ = 0;
  std::vector<double> times_s_;  // of the size under way
  double message_s_ = 0;
  double spent_s_ = 0;
};

}  // namespace anabranch::bench
