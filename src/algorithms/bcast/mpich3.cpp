// What MPICH 3 selects for broadcast, without its node-aware part: a baseline.
//
// Binomial tree below 12,288 bytes or 8 ranks; below 524,288 bytes on a power of two of ranks
// scatter and recursive doubling; else scatter and ring. Source: paper C, sections I and V.
#include <bit>

#include "algorithms/descriptors.hpp"

namespace anabranch {
namespace {

constexpr std::int64_t medium_from_bytes = 12288;
constexpr std::int64_t long_from_bytes = 524288;
constexpr std::int32_t medium_from_ranks = 8;

const Algorithm& pick(const Problem& problem) {
  if (problem.size_bytes < medium_from_bytes || problem.ranks < medium_from_ranks) {
    return bcast_binomial;
  }
  const bool power_of_two = std::has_single_bit(static_cast<std::uint32_t>(problem.ranks));
  if (problem.size_bytes < long_from_bytes && power_of_two) {
    return bcast_scatter_doubling_allgather;
  }
  return bcast_scatter_ring_allgather;
}

Choice choose(const Problem& problem) { return with_defaults(pick(problem), problem); }

}  // namespace

extern const Algorithm bcast_mpich3 = {
    .id = "bcast/mpich3",
    .summary = "policy: binomial, scatter and recursive doubling, or scatter and ring, as MPICH 3",
    .source = "paper C, sections I and V",
    .cost = "that of the algorithm picked",
    .collective = Collective::bcast,
    .form = Algorithm::Form::policy,
    .choose = choose,
};

}  // namespace anabranch
