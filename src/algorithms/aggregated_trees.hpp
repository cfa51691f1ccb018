// PAT, parallel aggregated trees: the part of each rank goes down a binomial tree of its own, in
// which the rank s behind it (around the ring) is at place s. The parent of a place is the one
// without its lowest bit. All trees are alike, so in each step all ranks do the same for different
// parts, and parts that go over one distance share a message.
//
// Source: Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter operations at scale,
// arXiv 2506.20252; the order of the steps is that of NCCL 2.23.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

// Of a tree: first, first + spacing, .. (count of them).
struct TreePlaces {
  std::int32_t first = 0;
  std::int32_t count = 0;
  std::int32_t spacing = 1;
};

// These places receive from their parents, which are `distance` before them.
struct TreeStep {
  TreePlaces places;
  std::int32_t distance = 1;

  TreePlaces parents() const { return {places.first - distance, places.count, places.spacing}; }
};

class AggregatedTrees {
 public:
  // No message has more than `aggregation` parts.
  AggregatedTrees(std::int32_t ranks, std::int64_t aggregation);

  // Steps over halving distances reach each spacing-th place. From these on, subtrees of so many
  // places are visited one place at a time, in all of them at once. A power of two, at least 2.
  std::int32_t spacing() const { return spacing_; }
  // Subtrees, of which the last one may lack places.
  std::int32_t subtrees() const { return (ranks_ - 1) / spacing_ + 1; }
  std::int32_t rounds() const;
  // From the roots to the leaves, far places first.
  std::vector<TreeStep> steps() const;
  bool has_children(std::int32_t place) const { return place % 2 == 0 && place + 1 < ranks_; }

 private:
  std::int32_t ranks_;
  std::int32_t spacing_ = 2;
};

// The parts in whose trees the rank is at these places: several block sets, as they may be apart.
std::vector<BlockSet> parts_at(const TreePlaces& places, std::int32_t ranks, std::int32_t rank,
                               std::int32_t block_count, Buffer buffer);

// The parameter. Default: as many parts as there ever are, because under the model a message more
// only costs.
std::int64_t most_aggregation(const Problem& problem);
constexpr Parameter aggregation_parameter = {
    .name = "aggregation",
    .summary = "parts in a message at most; from p / 2 on there are q messages",
    .minimum = 1,
    .maximum = 1000000,
    .default_value = most_aggregation,
};
inline constexpr Parameter aggregation_parameters[] = {aggregation_parameter};

// Algorithm::cost_s of both.
double aggregated_trees_time_s(const Problem& problem, Values values);

}  // namespace anabranch
