#include "algorithms/logp_tree.hpp"

#include <algorithm>
#include <cmath>

namespace anabranch {
namespace {

constexpr std::int64_t gap = 100;

// n over k, but at most `most`, which has 32 bits.
std::int64_t combinations(std::int64_t n, std::int64_t k, std::int64_t most) {
  k = std::min(k, n - k);
  std::int64_t found = 1;
  for (std::int64_t i = 1; i <= k; ++i) {
    const std::int64_t factor = n - k + i;
    if (found >= most * i / factor + 1) return most;
    found = found * factor / i;
  }
  return std::min(found, most);
}

}  // namespace

LogpTree::LogpTree(std::int32_t ranks, std::int64_t delay) : ranks_(ranks), delay_(delay) {
  if (ranks < 2) return;
  std::int64_t too_early = -1;
  time_ = (ranks - 2) * gap + delay;  // the root alone sends
  while (time_ - too_early > 1) {
    const std::int64_t middle = too_early + (time_ - too_early) / 2;
    (reached(middle) < ranks ? too_early : time_) = middle;
  }
}

// Over k levels, each after some of the s sends for which there is time, go s + k over k ways.
std::int64_t LogpTree::reached(std::int64_t time) const {
  const std::int64_t enough = 2 * std::int64_t{ranks_};  // twice as many as just before time()
  std::int64_t ranks = 0;
  for (std::int64_t level = 0; level * delay_ <= time && ranks < enough; ++level) {
    const std::int64_t sends = (time - level * delay_) / gap;
    ranks += combinations(sends + level, level, enough);
  }
  return ranks;
}

// Of the ranks that can be reached in the last moment there may be too many. Later children take
// theirs before earlier ones, so that the root's last child is there.
std::int32_t LogpTree::ranks_from(const Place& of, std::int32_t child) const {
  const std::int64_t time_left = of.time_left - child * gap;
  if (time_left < delay_) return 0;
  const std::int64_t in_last_moment = of.ranks - reached(of.time_left - 1);
  return static_cast<std::int32_t>(
      std::min(reached(time_left), reached(time_left - 1) + in_last_moment) - 1);
}

LogpTree::Place LogpTree::child_of(const Place& of, std::int32_t child) const {
  const std::int32_t nearer = ranks_from(of, child + 1);
  return {.rank = of.rank + nearer + 1,
          .ranks = ranks_from(of, child) - nearer,
          .time_left = of.time_left - child * gap - delay_,
          .parent = of.rank,
          .round = of.round + 1 + child};
}

LogpTree::Place LogpTree::place_of(std::int32_t rank) const {
  Place place{.ranks = ranks_, .time_left = time_};
  while (place.rank != rank) {
    std::int32_t child = 0;  // the last one whose subtree, or a later one's, has the rank
    std::int32_t after = rounds();
    while (after - child > 1) {
      const std::int32_t middle = child + (after - child) / 2;
      (ranks_from(place, middle) < rank - place.rank ? after : child) = middle;
    }
    place = child_of(place, child);
  }
  return place;
}

std::int32_t LogpTree::rounds() const {
  return ranks_ < 2 ? 0 : static_cast<std::int32_t>((time_ - delay_) / gap + 1);
}

double LogpTree::time_s(double message_s, double turn_s) const {
  double longest_s = 0;
  for (std::int64_t level = 1; ranks_ > 1 && level * delay_ <= time_; ++level) {
    const std::int64_t sends_before = (time_ - level * delay_) / gap;
    longest_s = std::max(longest_s, static_cast<double>(level) * message_s +
                                        static_cast<double>(sends_before) * turn_s);
  }
  return longest_s;
}

std::int64_t best_delay(const Problem& problem) {
  const Network& network = problem.network;
  if (network.overhead_s <= 0) return gap;
  const auto bytes = static_cast<double>(problem.size_bytes);
  const double bytes_s = bytes * network.time_per_byte_s;
  const double delay_s = network.start_s(bytes) + bytes_s;
  const double delay = std::round(gap * (delay_s / std::max(network.overhead_s, bytes_s)));
  return static_cast<std::int64_t>(std::min(delay, static_cast<double>(delay_parameter.maximum)));
}

}  // namespace anabranch
