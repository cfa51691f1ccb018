// What MPICH 3 selects, without its node-aware part: baselines.
//
// bcast: binomial tree below 12,288 bytes or 8 ranks; below 524,288 bytes on a power of two of
// ranks scatter and recursive doubling; else scatter and ring. Source: paper C, sections I and V.
#include <bit>

#include "algorithms/descriptors.hpp"
#include "algorithms/policy.hpp"

namespace anabranch {
namespace {

constexpr std::int64_t medium_from_bytes = 12288;
constexpr std::int64_t long_from_bytes = 524288;
constexpr std::int32_t medium_from_ranks = 8;

const Algorithm& pick_bcast(const Problem& problem) {
  if (problem.size_bytes < medium_from_bytes || problem.ranks < medium_from_ranks) {
    return bcast_binomial;
  }
  const bool power_of_two = std::has_single_bit(static_cast<std::uint32_t>(problem.ranks));
  if (problem.size_bytes < long_from_bytes && power_of_two) {
    return bcast_scatter_doubling_allgather;
  }
  return bcast_scatter_ring_allgather;
}

}  // namespace

extern const Algorithm bcast_mpich3 =
    policy(Collective::bcast, "bcast/mpich3",
           "policy: binomial, scatter and recursive doubling, or scatter and ring, as MPICH 3",
           "paper C, sections I and V", choose<pick_bcast>);

}  // namespace anabranch
