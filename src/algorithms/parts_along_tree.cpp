#include "algorithms/parts_along_tree.hpp"

#include <algorithm>
#include <vector>

#include "algorithms/knomial_tree.hpp"
#include "algorithms/parts.hpp"
#include "algorithms/scatter_allgather.hpp"
#include "algorithms/segments.hpp"

namespace anabranch {
namespace {

// Until the first of so many ranks has all their parts.
double collect_s(std::int32_t ranks, std::int64_t radix, const Network& network, double part_bytes,
                 double bytes_to_first) {
  const KnomialTree tree(ranks, radix);
  double end_s = 0;
  double whole_s = 0;  // until the first rank of a whole subtree of the level has all its parts
  for (std::int32_t level = 0; level < tree.levels(); ++level) {
    const auto distance = static_cast<double>(tree.distance(level));
    for (std::int64_t digit = 1; digit <= tree.children_on(0, level); ++digit) {
      const auto child = static_cast<std::int32_t>(digit * tree.distance(level));
      const std::int32_t held = tree.subtree(child);
      const double ready_s =
          held < distance ? collect_s(held, radix, network, part_bytes, part_bytes) : whole_s;
      const double bytes = held * bytes_to_first;
      end_s = std::max(end_s + network.turn_s(bytes, false), ready_s + network.message_s(bytes));
    }
    const Turns turns{static_cast<double>(radix - 1), 1, false};
    whole_s += turns_time_s(network, turns, distance * part_bytes);
  }
  return end_s;
}

// From when the first of so many ranks has all their parts until each has its own.
class Spreading {
 public:
  // size_bytes: of what tells the size of a part that is to be passed on.
  Spreading(const Network& network, std::int64_t radix, double part_bytes, double size_bytes)
      : network_(network), radix_(radix), part_bytes_(part_bytes), size_bytes_(size_bytes) {}

  double time_s(std::int32_t ranks) {
    const KnomialTree tree(ranks, radix_);
    double sent_s = 0;
    double end_s = 0;
    for (std::int32_t level = tree.levels() - 1; level >= 0; --level) {
      const std::int64_t whole = tree.distance(level);
      for (std::int64_t digit = tree.children_on(0, level); digit > 0; --digit) {
        const std::int64_t held = std::min(whole, ranks - digit * whole);
        const double bytes =
            static_cast<double>(held) * (part_bytes_ + (held > 1 ? size_bytes_ : 0));
        const double rest_s = held < whole ? time_s(static_cast<std::int32_t>(held))
                                           : of_whole_s(held, static_cast<std::size_t>(level));
        end_s = std::max(end_s, sent_s + network_.message_s(bytes) + rest_s);
        sent_s += network_.turn_s(bytes, false);
      }
    }
    return end_s;
  }

 private:
  double of_whole_s(std::int64_t ranks, std::size_t level) {
    if (level >= whole_s_.size()) whole_s_.resize(level + 1, -1);
    if (whole_s_[level] < 0) {
      const double found_s = time_s(static_cast<std::int32_t>(ranks));
      whole_s_[level] = found_s;
    }
    return whole_s_[level];
  }

  const Network& network_;
  std::int64_t radix_;
  double part_bytes_;
  double size_bytes_;
  std::vector<double> whole_s_;  // of whole subtrees, by level; below 0: not found yet
};

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
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  const double told_bytes = part_bytes + (how.carries_sizes ? size_field_bytes : 0);
  return collect_s(problem.ranks, how.radix, problem.network.starting_as(part_bytes), told_bytes,
                   part_bytes);
}

double scatter_along_tree_s(const Problem& problem, const PartsAlongTree& how) {
  const auto part_bytes = static_cast<double>(problem.part_bytes());
  const Network network = problem.network.starting_as(part_bytes);
  return Spreading(network, how.radix, part_bytes, how.carries_sizes ? size_field_bytes : 0)
      .time_s(problem.ranks);
}

}  // namespace anabranch
