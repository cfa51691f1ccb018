#include "algorithms/aggregated_trees.hpp"

#include <algorithm>

#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

// The places below one in its subtree of 2^levels, each before those below it.
template <typename Visit>
void visit_below(std::int32_t place, std::int32_t levels, const Visit& visit) {
  for (std::int32_t level = levels - 1; level >= 0; --level) {
    const std::int32_t child = place + (std::int32_t{1} << level);
    visit(child, level);
    visit_below(child, level, visit);
  }
}

}  // namespace

AggregatedTrees::AggregatedTrees(std::int32_t ranks, std::int64_t aggregation) : ranks_(ranks) {
  // Each step within the subtrees takes one place of each, other than their first.
  while (spacing_ < ranks && (ranks - 2) / spacing_ + 1 > aggregation) spacing_ *= 2;
}

std::int32_t AggregatedTrees::rounds() const {
  return ceil_log2(subtrees()) + std::min(spacing_, ranks_) - 1;
}

std::vector<TreeStep> AggregatedTrees::steps() const {
  std::vector<TreeStep> steps;
  steps.reserve(static_cast<std::size_t>(rounds()));
  const auto add = [&](std::int32_t first, std::int32_t spacing, std::int32_t distance) {
    if (first >= ranks_) return;
    const std::int32_t count = (ranks_ - 1 - first) / spacing + 1;
    steps.push_back({{first, count, spacing}, distance});
  };
  for (std::int32_t level = ceil_log2(ranks_) - 1; level >= floor_log2(spacing_); --level) {
    const std::int32_t distance = std::int32_t{1} << level;
    // Places beyond 2^31 are not there, so the spacing need not reach them.
    add(distance,
        static_cast<std::int32_t>(std::min(std::int64_t{2} * distance, std::int64_t{INT32_MAX})),
        distance);
  }
  visit_below(0, floor_log2(spacing_), [&](std::int32_t place, std::int32_t level) {
    add(place, spacing_, std::int32_t{1} << level);
  });
  return steps;
}

std::vector<BlockSet> parts_at(const TreePlaces& places, std::int32_t ranks, std::int32_t rank,
                               std::int32_t block_count, Buffer buffer) {
  std::vector<BlockSet> sets;
  const auto part_at = [&](std::int32_t index) {
    const std::int64_t place = places.first + std::int64_t{index} * places.spacing;
    return static_cast<std::int32_t>((rank + place) % ranks);
  };
  if (block_count > 1) {
    for (std::int32_t index = 0; index < places.count; ++index) {
      sets.push_back(blocks(part_at(index) * block_count, block_count, buffer));
    }
    return sets;
  }
  for (std::int32_t index = 0; index < places.count;) {
    const std::int32_t part = part_at(index);
    // Up to the end of the ring.
    const std::int32_t count =
        std::min(places.count - index, (ranks - 1 - part) / places.spacing + 1);
    sets.push_back({part, count, places.spacing, buffer});
    index += count;
  }
  return sets;
}

std::int64_t most_aggregation(const Problem& problem) {
  return std::clamp<std::int64_t>(problem.ranks / 2, aggregation_parameter.minimum,
                                  aggregation_parameter.maximum);
}

double aggregated_trees_time_s(const Problem& problem, Values values) {
  const AggregatedTrees trees(problem.ranks, values[0]);
  return parts_time_s(problem, trees.rounds(), problem.ranks - 1);
}

}  // namespace anabranch
