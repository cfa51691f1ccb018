// The ranks that carry out one collective, as one of them knows them: what schedules are made for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plan/plan.hpp"

namespace anabranch {

// Where the ranks of a communicator are, by absolute rank. Never changes, so that all collectives
// of a communicator share it.
class Places {
 public:
  // node_of_rank: any numbers that tell nodes apart. host_of_rank: the plan's node of each rank,
  // with a plan that knows all of them.
  explicit Places(std::vector<std::int64_t> node_of_rank,
                  std::shared_ptr<const Plan> plan = nullptr,
                  std::vector<std::int32_t> host_of_rank = {});

  const std::vector<std::int64_t>& node_of_rank() const { return node_of_rank_; }
  const Plan* plan() const { return plan_.get(); }
  const std::vector<std::int32_t>& host_of_rank() const { return host_of_rank_; }
  // Of some of the ranks, in that order.
  Places of(std::span<const std::int32_t> ranks) const;

  // The same for places that are alike, on whatever communicator: ranks share schedules by it.
  using Fingerprint = std::array<std::uint64_t, 2>;
  const Fingerprint& fingerprint() const { return fingerprint_; }

 private:
  std::vector<std::int64_t> node_of_rank_;
  std::shared_ptr<const Plan> plan_;
  std::vector<std::int32_t> host_of_rank_;
  Fingerprint fingerprint_;
};

struct Group {
  std::int32_t ranks = 1;
  std::int32_t rank = 0;             // the one that it is about, relative to the root
  std::int32_t root = 0;             // absolute
  bool keeps_operand_order = false;  // that of absolute ranks: the MPI_Op does not commute
  std::shared_ptr<const Places> places = nullptr;  // null: nobody knows

  // Both throw std::logic_error where nobody knows the nodes, which are relative to the root.
  const Places& known_places() const;
  std::vector<std::int64_t> nodes_from_root() const;
};

// Of the nodes that hold the ranks of a call.
struct NodeCounts {
  std::int32_t count = 0;    // 0: not known
  std::int32_t largest = 0;  // ranks of the node that has most
  bool in_blocks = false;    // the ranks of each node follow one another
};
NodeCounts node_counts(const Places& places);

// Of the trees that were computed for the hosts of a call (src/plan).
struct PlannedTrees {
  std::int64_t slice_bytes = 0;  // 0: there are none
  double slice_s = 0;            // a slice takes on average, once the trees are full
  double fill_s = 0;             // and they are full after so long
  // Of a period, for each hop but the first, where slices of several trees pass without rounds:
  // measured with periods of 22 to 213 slices.
  static constexpr double lag = 0.5;
};
// With the root on the plan's own.
PlannedTrees planned_trees(const Places& places);

}  // namespace anabranch
