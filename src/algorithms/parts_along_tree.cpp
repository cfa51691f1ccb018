#include "algorithms/parts_along_tree.hpp"

#include <algorithm>

#include "algorithms/knomial_tree.hpp"
#include "algorithms/parts.hpp"
#include "algorithms/scatter_allgather.hpp"

namespace anabranch {
namespace {

// Until the first of so many ranks has all their parts.
double collect_s(std::int32_t ranks, std::int64_t radix, double start_s, double part_s,
                 double part_to_first_s) {
  const KnomialTree tree(ranks, radix);
  double end_s = 0;
  double whole_s = 0;  // until the first rank of a whole subtree of the level has all its parts
  for (std::int32_t level = 0; level < tree.levels(); ++level) {
    const auto distance = static_cast<double>(tree.distance(level));
    for (std::int64_t digit = 1; digit <= tree.children_on(0, level); ++digit) {
      const auto child = static_cast<std::int32_t>(digit * tree.distance(level));
      const std::int32_t held = tree.subtree(child);
      const double ready_s =
          held < distance ? collect_s(held, radix, start_s, part_s, part_s) : whole_s;
      end_s = std::max(end_s, ready_s) + start_s + held * part_to_first_s;
    }
    whole_s += static_cast<double>(radix - 1) * (start_s + distance * part_s);
  }
  return end_s;
}

// Of a subtree of so many ranks, from when its first rank has all its parts.
double spread_s(std::int32_t ranks, std::int64_t radix, double start_s, double part_s,
                double size_s) {
  const KnomialTree tree(ranks, radix);
  double sent_s = 0;
  double end_s = 0;
  tree.for_each_child(0, [&](std::int32_t child) {
    const std::int32_t held = tree.subtree(child);
    sent_s += start_s + held * (part_s + (held > 1 ? size_s : 0));
    // A whole subtree is done with the one that it came from; the last one may not be whole.
    if (child + held < ranks) return;
    end_s = std::max(end_s, sent_s + spread_s(held, radix, start_s, part_s, size_s));
  });
  return std::max(sent_s, end_s);
}

}  // namespace

Schedule gather_along_tree(const Group& group, std::int32_t block_count,
                           const PartsAlongTree& how) {
  return gather_up(KnomialTree(group.ranks, how.radix), group, block_count, how.carries_sizes);
}

Schedule scatter_along_tree(const Group& group, std::int32_t block_count,
                            const PartsAlongTree& how) {
  return scatter_down(KnomialTree(group.ranks, how.radix), group, block_count, how.carries_sizes);
}

double gather_along_tree_s(const Problem& problem, const PartsAlongTree& how) {
  const Network& network = problem.network;
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  const double part_s = part_bytes * network.time_per_byte_s;
  const double size_s = how.carries_sizes ? size_field_bytes * network.time_per_byte_s : 0;
  return collect_s(problem.ranks, how.radix, network.start_s(part_bytes), part_s + size_s, part_s);
}

double scatter_along_tree_s(const Problem& problem, const PartsAlongTree& how) {
  const Network& network = problem.network;
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  return spread_s(problem.ranks, how.radix, network.start_s(part_bytes),
                  part_bytes * network.time_per_byte_s,
                  how.carries_sizes ? size_field_bytes * network.time_per_byte_s : 0);
}

}  // namespace anabranch
