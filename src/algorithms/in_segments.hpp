// Algorithms that cut a message into segments of one given size, so that they fit each other: of
// them protocols and compositions pick.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/candidates.hpp"

namespace anabranch {

// The values of the algorithm's parameters with which it cuts messages so; defaults where it does
// not cut them.
std::vector<std::int64_t> values_in_segments(const Algorithm& algorithm, const Problem& problem,
                                             std::int64_t segment_bytes);

// Those with schedules for any group that cut the message into segments.
std::vector<Candidate> candidates_in_segments(Collective collective, const Problem& problem,
                                              std::int64_t segment_bytes);

// The segment of a protocol that serves ranks in groups: that of the schedule which serves all of
// them where they are there together, unless it is too long, and else that of the collective's
// chain. Late ranks are a block behind whom they follow, and that should be a sixteenth of the
// message at most.
std::int64_t segment_for_groups(const Algorithm& chain, const Problem& problem);

// What rows of evidence look at, of ranks that have a node each.
Situation situation_of_group(Collective collective, Problem problem);

// The cheapest of the candidates under the model, or the one that measurements prefer
// (evidence.json) where that costs little more; of equals the one whose id comes first.
const Algorithm& cheapest_in_segments(Collective collective, std::span<const Candidate> candidates,
                                      const Problem& problem);

}  // namespace anabranch
