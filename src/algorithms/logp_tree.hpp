// Trees that reach a number of ranks in the least time where a rank can send again before its last
// message has been received, and all messages take alike (Karp et al., SPAA 1993).
//
// Time is counted in hundredths of what passes between two sends of a rank. A rank that has the
// message at t sends at t, t + 100, t + 200 .., and who it sends to has it `delay` later. Of all
// ranks that could be reached so the tree has those that are reached first. A subtree is a range
// of ranks, its root the first of them, and what hangs on the first child comes last.
#pragma once

#include <cstdint>

#include "algorithms/algorithm.hpp"

namespace anabranch {

class LogpTree {
 public:
  // delay: at least 100.
  LogpTree(std::int32_t ranks, std::int64_t delay);

  // A rank and its subtree.
  struct Place {
    std::int32_t rank = 0;
    std::int32_t ranks = 1;      // of the subtree
    std::int64_t time_left = 0;  // from when the rank has the message until the last rank has
    std::int32_t parent = -1;
    std::int32_t round = -1;  // in which the message comes from the parent
  };
  Place place_of(std::int32_t rank) const;

  // Until the last rank has the message.
  std::int64_t time() const { return time_; }
  // The same where a message takes message_s and a rank can send again after turn_s: on none of the
  // paths longer.
  double time_s(double message_s, double turn_s) const;
  // In each a rank sends at most once: one per child of the root, who has most to do.
  std::int32_t rounds() const;

  // Calls visit(place) for each child, in the order in which they are sent to: those furthest away
  // first.
  template <typename Visit>
  void for_each_child(const Place& of, Visit visit) const {
    for (std::int32_t child = 0; ranks_from(of, child) > 0; ++child) visit(child_of(of, child));
  }

 private:
  // Ranks that can have the message by then, or more than there can be in the tree.
  std::int64_t reached(std::int64_t time) const;
  // In the subtrees of that child (from 0 on) and the later ones.
  std::int32_t ranks_from(const Place& of, std::int32_t child) const;
  Place child_of(const Place& of, std::int32_t child) const;

  std::int32_t ranks_;
  std::int64_t delay_;
  std::int64_t time_ = 0;
};

// The parameter. Default: 100 where a message costs its sender nothing beside the time on the wire,
// else that of LogGP: a rank is busy with a message for the overhead, its port for the bytes, and
// the receiver has it after both overheads, the latency and the bytes.
std::int64_t best_delay(const Problem& problem);
constexpr Parameter delay_parameter = {
    .name = "delay_percent",
    .summary =
        "from the start of a send until the receiver can send, % of the time between two "
        "sends of a rank; 100: binomial",
    .minimum = 100,
    .maximum = 1'000'000'000,
    .default_value = best_delay,
};

}  // namespace anabranch
