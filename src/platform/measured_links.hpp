// What a short measurement among the nodes of a communicator tells of their links, and a broadcast
// tree made of it at once.
//
// All nodes send at the same time, each to the node `shift` places on, for several shifts. So a
// slow node shows in all that it sends or receives, and a thin trunk in all that crosses it.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.hpp"
#include "plan/rank_trees.hpp"

namespace anabranch::platform {

// All of them on up to 16 nodes; on more the powers of two, forwards and backwards. Ascending.
std::vector<std::int32_t> shifts_to_measure(std::int32_t nodes);

struct MeasuredLinks {
  std::int32_t nodes = 0;
  std::vector<std::int32_t> shifts;
  // s/B of a message to node i from the one shifts[k] places before it: at i * shifts.size() + k.
  std::vector<double> time_per_byte_s;

  // Whether one more look found nearly as many links apart: noise is elsewhere each time.
  bool is_settled = true;

  double slowest_s() const;  // per byte
  double fastest_s() const;
  double median_s() const;
  // How many take more than a third longer or shorter than most.
  std::int32_t apart() const;
  // Not where it is fewer than three quarters of those into one node: that is noise.
  bool some_apart() const { return 4 * apart() >= 3 * static_cast<std::int32_t>(shifts.size()); }
  bool differ() const { return is_settled && some_apart(); }
  bool differ_much() const;  // some by more than a factor of two
  // After one more look, before which so many were apart. Of unlike links more than five sixths
  // stay apart, of those that noise slows fewer (docs/figures/unlike-links.md).
  void settle(std::int32_t apart_before) { is_settled = 6 * apart() > 5 * apart_before; }
};

// The first messages of the measurement, one a shift: long enough to tell of bandwidth, and short,
// as some links may be much slower than what is known of the network. If they tell of links that
// differ much, they are all; else longer ones follow, of which the fastest counts.
std::int64_t first_probe_bytes(double latency_s, double time_per_byte_s);
constexpr std::int32_t further_repetitions = 2;
// Of either kind, where links are not settled.
constexpr std::int32_t most_first_looks = 3;
constexpr std::int32_t most_further_looks = 2;
// How long those are where a call of `size_bytes` waits for them: all of them together carry at
// most as many bytes over a port as that. 0: the call is too short for any.
std::int64_t further_probe_bytes(std::int64_t size_bytes, std::int32_t nodes, double latency_s,
                                 double time_per_byte_s);

// s/B of a long message along trees over the nodes, by the busiest port: at least, as each port
// counts with the fastest that it showed. What links share does not count, as it shows only in how
// many messages cross it at once.
double time_per_byte_of_ports(const MeasuredLinks& links, const RankTrees& trees);

// One tree along links that were measured, from node 0, for messages of about `size_bytes`. Its
// nodes have no names: the caller knows them.
Plan tree_along(const MeasuredLinks& links, double latency_s, std::int64_t size_bytes);

}  // namespace anabranch::platform
