// Descriptors of policies. One file holds those of one publication or library, for all collectives.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {

// Parts in one message each, as all those policies send them.
inline Choice with_whole_parts(Choice choice) {
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    const bool cuts_parts =
        choice.algorithm->parameters[i].default_value == best_part_segment_bytes;
    if (cuts_parts) choice.values[i] = longest_segment_bytes;
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
