#include "algorithms/knomial_tree.hpp"

#include <algorithm>
#include <limits>

namespace anabranch {

KnomialTree::KnomialTree(std::int32_t ranks, std::int64_t radix) : ranks_(ranks), radix_(radix) {
  for (std::int64_t reached = 1; reached < ranks; reached *= radix) ++levels_;
}

std::int64_t KnomialTree::distance(std::int32_t level) const {
  std::int64_t distance = 1;
  for (std::int32_t i = 0; i < level; ++i) distance *= radix_;
  return distance;
}

std::int32_t KnomialTree::level_of(std::int32_t rank) const {
  if (rank == 0) return levels_;
  std::int32_t level = 0;
  for (; rank % radix_ == 0; rank = static_cast<std::int32_t>(rank / radix_)) ++level;
  return level;
}

std::int64_t KnomialTree::children_on(std::int32_t rank, std::int32_t level) const {
  return std::min<std::int64_t>(radix_ - 1, (ranks_ - 1 - rank) / distance(level));
}

std::int32_t KnomialTree::rounds() const {
  if (levels_ == 0) return 0;
  return static_cast<std::int32_t>(children_on(0, levels_ - 1) + (levels_ - 1) * (radix_ - 1));
}

std::int32_t KnomialTree::parent_of(std::int32_t rank) const {
  const std::int64_t above = distance(level_of(rank) + 1);
  return static_cast<std::int32_t>(rank / above * above);
}

std::int32_t KnomialTree::subtree(std::int32_t rank) const {
  if (rank == 0) return ranks_;
  return static_cast<std::int32_t>(std::min<std::int64_t>(distance(level_of(rank)), ranks_ - rank));
}

std::int32_t KnomialTree::round_of(std::int32_t rank) const {
  const std::int32_t level = level_of(rank);
  const std::int32_t parent = parent_of(rank);
  const std::int64_t before = children_on(parent, level) - (rank - parent) / distance(level);
  const std::int64_t levels_before = levels_ - 1 - level;
  if (levels_before == 0) return static_cast<std::int32_t>(before);
  return static_cast<std::int32_t>(children_on(0, levels_ - 1) +
                                   (levels_before - 1) * (radix_ - 1) + before);
}

std::int64_t best_radix(const Problem& problem) {
  const Network& network = problem.network;
  if (network.overhead_s <= 0) return 2;
  const double each_s =
      network.overhead_s + static_cast<double>(problem.size_bytes) * network.time_per_byte_s;
  std::int64_t best = 2;
  double best_s = std::numeric_limits<double>::infinity();
  const std::int64_t most = std::min<std::int64_t>(problem.ranks, radix_parameter.maximum);
  for (std::int64_t radix = 2; radix <= most; ++radix) {
    const KnomialTree tree(problem.ranks, radix);
    const double time_s = tree.levels() * (network.latency_s + network.overhead_s) +
                          (tree.rounds() - tree.levels()) * each_s;
    if (time_s >= best_s) continue;
    best_s = time_s;
    best = radix;
  }
  return best;
}

}  // namespace anabranch
