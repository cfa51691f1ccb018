// What the broadcasts that do not wait for the late have in common: what the root does, what a
// receiver does, and the control messages between them.
//
// Every receiver tells the root when it arrives; the root answers with whose blocks it takes: those
// of one rank, or of a schedule run in a group of ranks that were there together, along the trees
// of a plan or over nodes where places are known. A receiver can be given a successor, to which it
// passes on what it has until it leaves; the root does the rest. One on its own node gets all from
// it, through memory and not through the ports of two nodes. Nobody waits for anybody but the root,
// and all receives name their source, but for the root's, of control messages.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/group_schedules.hpp"
#include "algorithms/segments.hpp"
#include "execution/protocol.hpp"

namespace anabranch {

// What tells the protocols apart.
struct ArrivalRules {
  // Who arrives takes from the one that arrived before him, while that is there.
  bool relays = false;
  bool groups = true;   // those that are there together are served by one schedule
  bool pushes = false;  // while nobody is there the root sends to one that is absent
  // How long the root waits for more before it serves the first of a group; up to four times, while
  // somebody comes each time.
  double gather_s = 0;
  // Messages that may lie at receivers which have not arrived, of this broadcast.
  std::int32_t max_pushed = 0;
};

std::unique_ptr<Execution> start_arrival_aware(const Group& group, std::int32_t blocks,
                                               const Conditions& conditions,
                                               const ArrivalRules& rules,
                                               const GroupSchedules& groups);

// Parameters that they share.
constexpr std::int64_t most_gather_us = 60'000'000;
std::int64_t default_gather_us(const Problem& problem);
constexpr Parameter gather_parameter(std::int64_t (*default_value)(const Problem&)) {
  return {.name = "gather",
          .summary = "microseconds that the root waits for more ranks before it serves the first",
          .minimum = 0,
          .maximum = most_gather_us,
          .default_value = default_value};
}
constexpr Parameter no_gather_parameter =
    gather_parameter([](const Problem&) { return std::int64_t{0}; });
constexpr Parameter group_parameter = {
    .name = "group",
    .summary = "the algorithm that serves ranks which are there together; auto: the cheapest",
    .minimum = -1,
    .maximum = INT32_MAX,
    .default_value = [](const Problem&) { return std::int64_t{-1}; },
    .is_algorithm = true};

// Of a chain over all ranks; of the broadcast that serves them, or their nodes, where they are
// there together, or of a plan its slice.
std::int64_t default_chain_segment(const Problem& problem);
std::int64_t segment_at_places(const Problem& problem);
constexpr Parameter chain_segment_parameter = segment_parameter(default_chain_segment);

// What may lie at receivers that have not arrived, in bytes; how many messages that leaves room
// for.
constexpr Parameter cap_parameter(std::int64_t (*default_value)(const Problem&)) {
  return {.name = "cap",
          .summary = "bytes that may lie at receivers which have not arrived",
          .minimum = 0,
          .maximum = std::int64_t{1} << 50,
          .default_value = default_value};
}
constexpr Parameter large_cap_parameter =
    cap_parameter([](const Problem&) { return std::int64_t{16} << 20; });
constexpr Parameter no_cap_parameter =
    cap_parameter([](const Problem&) { return std::int64_t{0}; });
std::int32_t messages_within(std::int64_t cap_bytes, const Conditions& conditions);

// As the paper's algorithms see them.
Group without_places(Group group);
Problem without_places(Problem problem);

// The schedules for groups, with the values of `segment` and `group`.
GroupSchedules group_schedules(const Group& group, const Conditions& conditions,
                               std::int32_t blocks, std::int64_t segment_bytes,
                               std::int64_t group_algorithm);

// What the model says of ranks that arrive together, s. One rank is served: so long.
double serving_one_s(const Problem& problem, std::int64_t segment_bytes);
// So many ranks are served as a group, the root among them.
double serving_group_s(const Problem& problem, std::int32_t ranks, std::int64_t segment_bytes,
                       std::int64_t group_algorithm);

}  // namespace anabranch
