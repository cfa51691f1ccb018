#include "algorithms/parts_along_tree.hpp"

#include <algorithm>
#include <vector>

#include "algorithms/knomial_tree.hpp"
#include "algorithms/parts.hpp"
#include "algorithms/scatter_allgather.hpp"

namespace anabranch {
namespace {

// Of messages between a rank and its children, of which it handles one after the other.
struct Messages {
  explicit Messages(const Problem& problem)
      : network(problem.network),
        part_bytes(static_cast<double>(problem.part_bytes())),
        start_s(network.start_s(part_bytes)) {}

  double part_s() const { return part_bytes * network.time_per_byte_s; }
  // Until one of so many seconds on the wire has arrived, and until the next one can follow.
  double whole_s(double wire_s) const { return start_s + wire_s; }
  double turn_s(double wire_s) const {
    return network.gap_s == 0 ? whole_s(wire_s) : std::max(network.gap_s / 2, wire_s);
  }

  const Network& network;
  double part_bytes;
  double start_s;
};

// Until the first of so many ranks has all their parts.
double collect_s(std::int32_t ranks, std::int64_t radix, const Messages& messages, double part_s,
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
          held < distance ? collect_s(held, radix, messages, part_s, part_s) : whole_s;
      const double wire_s = held * part_to_first_s;
      end_s = std::max(end_s + messages.turn_s(wire_s), ready_s + messages.whole_s(wire_s));
    }
    whole_s += messages.whole_s(distance * part_s) +
               static_cast<double>(radix - 2) * messages.turn_s(distance * part_s);
  }
  return end_s;
}

// From when the first of so many ranks has all their parts until each has its own.
class Spreading {
 public:
  Spreading(const Messages& messages, std::int64_t radix, double size_s)
      : messages_(messages), radix_(radix), size_s_(size_s) {}

  double time_s(std::int32_t ranks) {
    const KnomialTree tree(ranks, radix_);
    double sent_s = 0;
    double end_s = 0;
    for (std::int32_t level = tree.levels() - 1; level >= 0; --level) {
      const std::int64_t whole = tree.distance(level);
      for (std::int64_t digit = tree.children_on(0, level); digit > 0; --digit) {
        const std::int64_t held = std::min(whole, ranks - digit * whole);
        const double wire_s =
            static_cast<double>(held) * (messages_.part_s() + (held > 1 ? size_s_ : 0));
        const double rest_s = held < whole ? time_s(static_cast<std::int32_t>(held))
                                           : of_whole_s(held, static_cast<std::size_t>(level));
        end_s = std::max(end_s, sent_s + messages_.whole_s(wire_s) + rest_s);
        sent_s += messages_.turn_s(wire_s);
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

  const Messages& messages_;
  std::int64_t radix_;
  double size_s_;
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
  const Messages messages(problem);
  const double part_s = messages.part_s();
  const double size_s = how.carries_sizes ? size_field_bytes * problem.network.time_per_byte_s : 0;
  return collect_s(problem.ranks, how.radix, messages, part_s + size_s, part_s);
}

double scatter_along_tree_s(const Problem& problem, const PartsAlongTree& how) {
  const Messages messages(problem);
  const double size_s = how.carries_sizes ? size_field_bytes * problem.network.time_per_byte_s : 0;
  return Spreading(messages, how.radix, size_s).time_s(problem.ranks);
}

}  // namespace anabranch
