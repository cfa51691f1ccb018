// Reductions as broadcasts run backwards: where a broadcast sends a block down a tree, the
// reduction combines it on the way up.
#pragma once

#include "algorithms/instantiate.hpp"
#include "algorithms/segments.hpp"

namespace anabranch {

// What the rank of the broadcast does, in the opposite order: it combines what comes in from those
// to which it sent, and sends on where it received. Each rank must receive each block once.
// Operands keep their order if, in the broadcast, each rank sends to others behind it, those
// furthest away first.
Schedule backwards(const Schedule& broadcast);

// The same without combining: what has been sent comes back into its place, round by round in the
// opposite order. Copies are left out. After a scatter this gathers; after a reduce-scatter, where
// each rank sends parts of others and combines its own, all ranks get all parts.
Schedule retraced(const Schedule& schedule);

// The members of a descriptor that is `broadcast` backwards, with the parameter `segment` if that
// has it.
template <const Algorithm& broadcast>
struct Backwards {
  static Schedule generate(const Group& group, std::int32_t blocks, Values values) {
    return backwards(make_schedule(broadcast, group, blocks, values));
  }
  static double cost_s(const Problem& problem, Values values) {
    return broadcast.cost_s(problem, values);
  }
  static std::int64_t default_segment(const Problem& problem) {
    return broadcast.parameters[0].default_value(problem);
  }
  static constexpr Parameter parameters[] = {segment_parameter(default_segment)};
};

}  // namespace anabranch
