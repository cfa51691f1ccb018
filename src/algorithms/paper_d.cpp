// What paper D selects: baselines.
//
// bcast: binomial tree below 12 KB or below 8 ranks, else scatter and recursive doubling.
// Source: paper D, section 4.3.
#include "algorithms/descriptors.hpp"
#include "algorithms/policy.hpp"

namespace anabranch {
namespace {

constexpr std::int64_t long_from_bytes = 12288;
constexpr std::int32_t long_from_ranks = 8;

const Algorithm& pick_bcast(const Problem& problem) {
  const bool use_tree = problem.size_bytes < long_from_bytes || problem.ranks < long_from_ranks;
  return use_tree ? bcast_binomial : bcast_scatter_doubling_allgather;
}

}  // namespace

extern const Algorithm bcast_paper_d =
    policy(Collective::bcast, "bcast/paper_d",
           "policy: binomial below 12 KiB or 8 ranks, else scatter and recursive doubling",
           "paper D, section 4.3", choose<pick_bcast>);

}  // namespace anabranch
