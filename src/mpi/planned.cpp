#include "mpi/planned.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "mpi/functions.hpp"
#include "mpi/host.hpp"

namespace anabranch::mpi {
namespace {

// Plans may have the names with or without their domains.
std::int32_t node_called(const Plan& plan, const std::string& host) {
  const std::int32_t node = plan.node_of(host);
  return node != no_node ? node : plan.node_of(host.substr(0, host.find('.')));
}

}  // namespace

int Planned::find_hosts(std::shared_ptr<const Plan> plan, MPI_Comm channel, std::int32_t rank) {
  plan_ = std::move(plan);
  node_of_rank_.clear();
  schedules_.clear();
  if (plan_ == nullptr) return MPI_SUCCESS;
  int size = 1;
  native.Comm_size(channel, &size);
  const std::int32_t own = node_called(*plan_, host_name());
  node_of_rank_.resize(static_cast<std::size_t>(size));
  const int error =
      native.Allgather(&own, 1, MPI_INT32_T, node_of_rank_.data(), 1, MPI_INT32_T, channel);
  if (error != MPI_SUCCESS) return error;
  const auto stranger = std::ranges::find(node_of_rank_, no_node);
  if (stranger == node_of_rank_.end()) return MPI_SUCCESS;
  if (stranger - node_of_rank_.begin() == rank) {
    std::fprintf(stderr,
                 "anabranch: the plan does not know the host '%s' of rank %d: broadcasts among "
                 "these %d ranks go without it\n",
                 host_name().c_str(), rank, size);
  }
  node_of_rank_.clear();
  return MPI_SUCCESS;
}

PlannedTrees Planned::trees() const {
  if (node_of_rank_.empty()) return {};
  return {plan_->slice_bytes, plan_->period_s / static_cast<double>(plan_->order.size())};
}

std::shared_ptr<const Schedule> Planned::schedule(std::int32_t root, std::int32_t rank,
                                                  std::int32_t slices) {
  constexpr std::size_t most_kept = 64;
  if (schedules_.size() >= most_kept) schedules_.clear();
  auto& found = schedules_[{root, slices}];
  if (found == nullptr) {
    const auto ranks = static_cast<std::int32_t>(node_of_rank_.size());
    const RankTrees trees = fit(*plan_, node_of_rank_, root);
    found = std::make_shared<const Schedule>(
        tree_schedule(trees, (rank - root + ranks) % ranks, slices));
  }
  return found;
}

// One message after the other where the plan counts on it; in its rounds also at the receiver,
// which takes the next one only when it has the last. Else enough for all links to be busy at once,
// however slow one of them is.
Window Planned::window(const Window& usual) const {
  const std::int32_t receives = plan_->rounds.empty() ? usual.receives : 1;
  if (plan_->serial) return {.receives = receives, .sends = 1, .synchronous_every = 1};
  return {.receives = usual.receives, .sends = std::max(usual.sends, Window::maximum / 4)};
}

}  // namespace anabranch::mpi
