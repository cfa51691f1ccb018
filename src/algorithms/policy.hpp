// Descriptors of policies. One file holds those of one publication or library, for all collectives.
#pragma once

#include <bit>
#include <initializer_list>

#include "algorithms/algorithm.hpp"
#include "algorithms/hierarchy.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {

// Parts in one message each, as all those policies send them, whatever segments are the default.
inline Choice with_whole_parts(Choice choice) {
  const auto cut = choice.algorithm->blocks;
  if (cut == segmented_part_blocks || cut == segmented_blocks_of_parts) {
    choice.values[0] = longest_segment_bytes;
  }
  return choice;
}

// The maker of a policy that leaves other parameters at their defaults.
template <const Algorithm& (*pick)(const Problem&)>
Choice choose(const Problem& problem) {
  return with_whole_parts(with_defaults(pick(problem), problem));
}

template <const Algorithm& algorithm>
const Algorithm& always(const Problem&) {
  return algorithm;
}

// One where all ranks know all sizes, another one where they know those of their own parts only.
template <const Algorithm& known, const Algorithm& unknown>
const Algorithm& pick_by_sizes(const Problem& problem) {
  return problem.sizes == SizeKnowledge::everywhere ? known : unknown;
}

inline bool is_power_of_two(std::int32_t ranks) {
  return std::has_single_bit(static_cast<std::uint32_t>(ranks));
}

inline std::int32_t largest_power_of_two(std::int32_t up_to) {
  return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(up_to)));
}

// Where a library counts elements: policies know bytes only, and take elements to have four.
inline std::int64_t elements_of(const Problem& problem) { return problem.size_bytes / 4; }

inline bool shares_nodes(const Problem& problem) {
  return problem.nodes.count > 1 && problem.nodes.largest > 1;
}

// What another policy picks.
template <const Algorithm& policy>
Choice as(const Problem& problem) {
  return resolve({&policy, {}}, problem);
}

// An algorithm by nodes with these components, in the order of its parameters, and one leader.
inline Choice by_nodes(const Algorithm& hierarchy,
                       std::initializer_list<const Algorithm*> components) {
  Choice choice{&hierarchy, {}};
  for (const Algorithm* component : components) choice.values.push_back(index_of(*component));
  choice.values.push_back(1);
  return choice;
}

constexpr Algorithm policy(Collective collective, std::string_view id, std::string_view summary,
                           std::string_view source, PickAnother pick) {
  return {.id = id,
          .summary = summary,
          .source = source,
          .cost = "that of the algorithm picked",
          .collective = collective,
          .make = pick};
}

}  // namespace anabranch
