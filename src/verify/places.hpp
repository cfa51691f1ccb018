// Where ranks may be: the nodes and plans for which algorithms that go by places are verified.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace anabranch::verify {

// For an algorithm that needs no places one null. Else distinct ones, by rank relative to the root:
// all on one node, each on its own, in blocks, in turn, and some at random; or random trees over
// hosts of which some have several ranks and some none.
std::vector<std::shared_ptr<const Places>> places_for(const Algorithm& algorithm,
                                                      std::int32_t ranks);

// The problem with what is known of the places.
Problem at_places(Problem problem, const Places& places);

// The values of its parameters: the defaults for some sizes; each component on its own replaced by
// all algorithms that fit; several leaders.
std::vector<std::vector<std::int64_t>> values_to_verify(const Algorithm& algorithm,
                                                        const std::vector<Problem>& problems);

// ", nodes 0 0 1"; empty for null.
std::string text_of(const Places* places);

}  // namespace anabranch::verify
