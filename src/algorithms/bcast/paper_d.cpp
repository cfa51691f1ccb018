// What paper D selects for broadcast: a baseline.
//
// Binomial tree below 12 KB or below 8 ranks, else scatter and recursive doubling.
// Source: paper D, section 4.3.
#include "algorithms/descriptors.hpp"

namespace anabranch {
namespace {

constexpr std::int64_t long_from_bytes = 12288;
constexpr std::int32_t long_from_ranks = 8;

Choice choose(const Problem& problem) {
  const bool use_tree = problem.size_bytes < long_from_bytes || problem.ranks < long_from_ranks;
  return with_defaults(use_tree ? bcast_binomial : bcast_scatter_doubling_allgather, problem);
}

}  // namespace

extern const Algorithm bcast_paper_d = {
    .id = "bcast/paper_d",
    .summary = "policy: binomial below 12 KiB or 8 ranks, else scatter and recursive doubling",
    .source = "paper D, section 4.3",
    .cost = "that of the algorithm picked",
    .collective = Collective::bcast,
    .form = Algorithm::Form::policy,
    .choose = choose,
};

}  // namespace anabranch
