// Two binary trees at once, each carrying every other block: a rank that passes blocks on in one
// tree only receives in the other, so that everybody sends and receives one block per round.
//
// When: long messages; a logarithmic number of rounds longer than the optimum, but with at most
// four peers per rank. Cost: (n + d)(alpha + beta m / n), where the first block travels d <= 2 q
// rounds. How: the first tree is the in-order tree over ranks 1 .. p - 1, the second its mirror
// image. Edges are coloured with the parity of their rounds, so that a rank's two incoming edges
// differ and so do its outgoing ones; the colours follow from the path to the root in O(log p)
// steps. Source: Sanders, Speck, Traff, Two-tree algorithms for full bandwidth broadcast, reduction
// and scan, Parallel Computing 35, 2009.
#include <algorithm>
#include <bit>

#include "algorithms/logarithm.hpp"
#include "algorithms/segments.hpp"
#include "schedule/builder.hpp"

namespace anabranch {
namespace {

// The first tree, over places 1 .. places(). Odd places are leaves. The second tree has the same
// shape, and everything in it happens one round later.
class InOrderTree {
 public:
  explicit InOrderTree(std::int32_t ranks)
      : places_(ranks - 1),
        mirrored_(places_ - places_ % 2),
        slow_side_is_right_(mirrored_ % 4 == 0) {}

  std::int32_t root() const {
    return mirrored_ == 0 ? 1 : static_cast<std::int32_t>(std::bit_floor(as_bits(mirrored_)));
  }

  // The rank at a place of the second tree, and the place of a rank. Of an odd number of ranks the
  // last one is a leaf at the same place of both trees.
  std::int32_t mirror(std::int32_t place) const {
    return place > mirrored_ ? place : mirrored_ + 1 - place;
  }

  std::int32_t parent(std::int32_t place) const {
    if (place > mirrored_) return mirrored_;
    do {
      const std::int32_t lowest = place & -place;
      place = (place - lowest) | (2 * lowest);
    } while (place > mirrored_);
    return place;
  }

  // 0 where there is none.
  std::int32_t left_child(std::int32_t place) const {
    return is_leaf(place) ? 0 : place - (place & -place) / 2;
  }
  std::int32_t right_child(std::int32_t place) const {
    if (is_leaf(place)) return 0;
    if (place == mirrored_) return places_ > mirrored_ ? places_ : 0;
    std::int32_t distance = (place & -place) / 2;
    while (distance > mirrored_ - place) distance /= 2;
    return place + distance;
  }

  // The round in which the first block of the first tree arrives; its parity is the edge's colour.
  std::int32_t arrival_round(std::int32_t place) const {
    if (place == root()) return 0;
    const std::int32_t above = parent(place);
    const std::int32_t ready = inner_arrival_round(above);
    return ready + (colour(place) == ready % 2 ? 2 : 1);
  }

  // The latest of all places.
  std::int32_t latest_arrival_round() const {
    if (mirrored_ == 0) return 0;
    // Down the right spine: to the left of each of its places is a complete tree, in which the
    // slowest path takes two rounds per edge.
    std::int32_t latest = 0;
    for (std::int32_t place = root(); place != 0 && !is_leaf(place); place = right_child(place)) {
      const std::int32_t left = left_child(place);
      const std::int32_t depth = floor_log2(left & -left);
      latest = std::max(latest, arrival_round(left) + 2 * depth);
      const std::int32_t right = right_child(place);
      if (right != 0 && is_leaf(right)) latest = std::max(latest, arrival_round(right));
    }
    return latest;
  }

 private:
  static std::uint32_t as_bits(std::int32_t value) { return static_cast<std::uint32_t>(value); }
  bool is_leaf(std::int32_t place) const { return place % 2 != 0; }

  // Of a place with children: of its two, one is a round later than itself, the slow one two.
  std::int32_t inner_arrival_round(std::int32_t place) const {
    std::int32_t round = 0;
    for (const std::int32_t top = root(); place != top;) {
      const std::int32_t above = parent(place);
      round += (place > above) == slow_side_is_right_ ? 2 : 1;
      place = above;
    }
    return round;
  }

  // Of the edge that comes in. A leaf has children in the other tree, where its colour is found;
  // the two incoming edges of a rank differ, and so do the two roots.
  std::int32_t colour(std::int32_t place) const {
    if (!is_leaf(place)) return inner_arrival_round(place) % 2;
    if (place > mirrored_) return 1 - colour(left_child(mirrored_));
    return inner_arrival_round(mirror(place)) % 2;
  }

  std::int32_t places_;
  std::int32_t mirrored_;  // an even number of places, to which the mirror image applies
  bool slow_side_is_right_;
};

std::int64_t fill_rounds(std::int32_t ranks) {
  return ranks == 1 ? 0 : InOrderTree(ranks).latest_arrival_round();
}

// Of the schedule, beyond those that take time: with three ranks the two messages of the last two
// rounds use different ports and take place at once.
std::int32_t overlapping_rounds(std::int32_t ranks) { return ranks == 3 ? 1 : 0; }

Pipeline pipeline_of(std::int32_t ranks) {
  return {.fill_rounds = fill_rounds(ranks) - overlapping_rounds(ranks),
          .latency_rounds = ceil_log2(ranks)};
}

std::int64_t default_segment(const Problem& problem) {
  return best_segment_bytes(problem, pipeline_of(problem.ranks));
}

constexpr Parameter parameters[] = {segment_parameter(default_segment)};

Schedule generate(const Group& group, std::int32_t block_count, Values) {
  const std::int32_t rounds = pipeline_rounds(group.ranks, pipeline_of(group.ranks), block_count);
  Builder builder(group.ranks, group.rank, rounds + overlapping_rounds(group.ranks), block_count);
  if (group.ranks == 1) return std::move(builder).finish();
  builder.reserve(4);
  const InOrderTree tree(group.ranks);
  for (std::int32_t second = 0; second < 2; ++second) {
    const Repeat every_other{
        .count = (block_count + 1 - second) / 2, .block_step = 2, .round_step = 2};
    const auto rank_at = [&](std::int32_t place) {
      return second == 0 ? place : tree.mirror(place);
    };
    const auto send_to = [&](std::int32_t place) {
      if (place == 0) return;
      builder.send(tree.arrival_round(place) + second, rank_at(place), block(second), every_other);
    };
    if (group.rank == 0) {
      send_to(tree.root());
      continue;
    }
    const std::int32_t place = rank_at(group.rank);
    const std::int32_t from = place == tree.root() ? 0 : rank_at(tree.parent(place));
    builder.receive(tree.arrival_round(place) + second, from, block(second), every_other);
    send_to(tree.left_child(place));
    send_to(tree.right_child(place));
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values values) {
  return pipeline_time_s(problem, pipeline_of(problem.ranks), segmented_blocks(problem, values));
}

}  // namespace

extern const Algorithm bcast_two_tree = {
    .id = "bcast/two_tree",
    .summary = "two binary trees at once, each carrying every other block",
    .source = "Sanders, Speck, Traff, Parallel Computing 35 (2009)",
    .cost = "(n + d)(alpha + beta m / n), d <= 2 q the rounds of the first block",
    .collective = Collective::bcast,
    .parameters = parameters,
    .blocks = segmented_blocks,
    .make = generate,
    .cost_s = cost_s,
};

}  // namespace anabranch
