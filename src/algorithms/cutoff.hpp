// From which size on the algorithms of paper D for long messages are the faster ones.
#pragma once

#include "algorithms/algorithm.hpp"

namespace anabranch {

// Bytes that a rank contributes, up to which recursive doubling is no slower than pairwise
// exchange: the formula that paper D promises for reduce-scatter (sections 4.4 and 5), for powers
// of two:
//
//   (p - 1 - q) alpha / ((q - 2 (p - 1) / p) beta),
//
// infinite where doubling is never slower, as on 2 ranks.
double reduce_scatter_cutoff_bytes(std::int32_t ranks, const Network& network);

}  // namespace anabranch
