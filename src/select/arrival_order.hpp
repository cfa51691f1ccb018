// In which order ranks come to the calls of a class, which all of them learn alike from earlier
// ones: the detection on-line of Proficz (J. Supercomputing 74, 2018), for the algorithms that need
// a prediction. Pure: who takes times, and how ranks tell each other, is the caller's business.
//
// Whoever comes first is in a call for longest. So each rank tells how long it was in one, and four
// calls later the ranks are sorted by that: by then the late have told theirs, and nobody waits for
// what they tell. That call is the next one of which they tell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace anabranch {

struct RankOrder {
  std::vector<std::int32_t> rank_at;   // by place, who comes first at place 0
  std::vector<std::int32_t> place_of;  // by rank
};

class ArrivalOrder {
 public:
  static constexpr std::int64_t calls_until_known = 4;

  // The next call goes by what all ranks told: `learn` before.
  bool needs_times() const { return calls_ == calls_until_known; }
  // The call that is over was one to tell of.
  bool is_to_be_told() const { return calls_ == 1; }
  void end_call() { ++calls_; }

  // in_call_ns: of each rank, how long it was in the call. Of equals the first rank comes first.
  void learn(std::span<const std::int64_t> in_call_ns) {
    auto order = std::make_shared<RankOrder>();
    order->rank_at.resize(in_call_ns.size());
    order->place_of.resize(in_call_ns.size());
    std::iota(order->rank_at.begin(), order->rank_at.end(), 0);
    std::ranges::stable_sort(order->rank_at, std::ranges::greater(), [&](std::int32_t rank) {
      return in_call_ns[static_cast<std::size_t>(rank)];
    });
    for (std::size_t place = 0; place < in_call_ns.size(); ++place) {
      order->place_of[static_cast<std::size_t>(order->rank_at[place])] =
          static_cast<std::int32_t>(place);
    }
    order_ = std::move(order);
    calls_ = 0;
  }
  // Null while nobody knows.
  const std::shared_ptr<const RankOrder>& order() const { return order_; }

 private:
  std::int64_t calls_ = 0;  // since what was learnt last; the first is told of
  std::shared_ptr<const RankOrder> order_;
};

}  // namespace anabranch
