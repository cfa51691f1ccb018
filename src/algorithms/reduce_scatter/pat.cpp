// Parallel aggregated trees: each part is combined up a binomial tree of its own, near ranks first,
// and parts that go over one distance share a message.
//
// When: where far ranks are dear, or memory is short: what a rank combines for others are a parts
// for each of log2(2 p / a) levels at most, a being `aggregation`, where the other algorithms hold
// p parts. With the default that is p / 2.
// Cost: q alpha + (p - 1) / p beta m; a parts in a message take log2 a + 2^q / a - 1 of them.
// Operands are combined out of order. Parts of several ranks take turns in one place, so all have
// one size. How: allgather/pat backwards. A subtree is visited as a whole before the next one of
// its level begins, so these take turns in one place. Source: Jeaugey, arXiv 2506.20252 (2025),
// reduce-scatter; NCCL 2.23.
#include <algorithm>
#include <ranges>
#include <vector>

#include "algorithms/aggregated_trees.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

// Where the rank combines parts: its own one, at place 0, in the output, others in slots of
// scratch. Each subtree has one slot for its first place, and one for each level below that has
// children. Places without children send their input.
class Slots {
 public:
  Slots(const AggregatedTrees& trees, const Group& group, std::int32_t block_count)
      : trees_(trees), ranks_(group.ranks), rank_(group.rank), block_count_(block_count) {}

  std::int32_t count() const { return floor_log2(trees_.spacing()) * trees_.subtrees() - 1; }

  std::vector<BlockSet> held(TreePlaces places) const {
    std::vector<BlockSet> sets;
    if (places.first == 0) {
      sets.push_back(blocks(0, block_count_));
      places = {places.spacing, places.count - 1, places.spacing};
    }
    if (places.count == 0) return sets;
    const std::int32_t last = places.first + (places.count - 1) * places.spacing;
    const std::int32_t childless =
        trees_.has_children(places.first) ? !trees_.has_children(last) : places.count;
    const std::int32_t combined = places.count - childless;
    add_slots(sets, places.first, combined, places.spacing / trees_.spacing());
    const TreePlaces rest{places.first + combined * places.spacing, childless, places.spacing};
    std::ranges::copy(parts_at(rest, ranks_, rank_, block_count_, Buffer::input),
                      std::back_inserter(sets));
    return sets;
  }

 private:
  std::int32_t slot(std::int32_t place) const {
    const std::int32_t within = place % trees_.spacing();
    const std::int32_t level = within == 0 ? 0 : floor_log2(within & -within);
    return level * trees_.subtrees() + place / trees_.spacing() - 1;
  }

  void add_slots(std::vector<BlockSet>& sets, std::int32_t place, std::int32_t count,
                 std::int32_t stride) const {
    const std::int32_t first = slot(place);
    if (block_count_ == 1) {
      sets.push_back({first, count, stride, Buffer::scratch});
      return;
    }
    for (std::int32_t index = 0; index < count; ++index) {
      sets.push_back(
          blocks((first + index * stride) * block_count_, block_count_, Buffer::scratch));
    }
  }

  const AggregatedTrees& trees_;
  std::int32_t ranks_;
  std::int32_t rank_;
  std::int32_t block_count_;
};

// Contributions of the rank itself, where others are about to be combined with them. The own part
// and both sides of the end of the ring are apart in memory.
void add_own(Builder& builder, const Slots& slots, const TreePlaces& places, const Group& group,
             std::int32_t block_count, std::int32_t round) {
  const auto copy = [&](std::int32_t begin, std::int32_t end) {
    const TreePlaces some{places.first + begin * places.spacing, end - begin, places.spacing};
    const auto held = slots.held(some);
    const auto own = parts_at(some, group.ranks, group.rank, block_count, Buffer::input);
    for (std::size_t i = 0; i < held.size(); ++i) builder.copy(round, held[i], own[i]);
  };
  const std::int32_t root = places.first == 0 ? 1 : 0;
  const std::int32_t ahead = group.ranks - group.rank - places.first;  // before the end of the ring
  const std::int32_t end =
      std::clamp((ahead + places.spacing - 1) / places.spacing, root, places.count);
  if (root > 0) copy(0, root);
  if (end > root) copy(root, end);
  if (places.count > end) copy(end, places.count);
}

Schedule generate(const Group& group, std::int32_t block_count, Values values) {
  const auto [ranks, rank] = std::pair(group.ranks, group.rank);
  const AggregatedTrees trees(ranks, values[0]);
  const Slots slots(trees, group, block_count);
  Builder builder(ranks, rank, std::max(trees.rounds(), 1), block_count);
  builder.input(ranks * block_count).scratch(slots.count() * block_count);
  if (ranks == 1) builder.copy(0, blocks(0, block_count), blocks(0, block_count, Buffer::input));
  std::int32_t round = trees.rounds();
  // From the last one on: each place then receives from the one behind it first.
  for (const TreeStep& step : trees.steps()) {
    --round;
    const std::int32_t parent = (rank + step.distance) % ranks;
    const std::int32_t child = (rank - step.distance + ranks) % ranks;
    if (step.distance == 1) add_own(builder, slots, step.parents(), group, block_count, round);
    builder.send(round, parent, slots.held(step.places));
    builder.reduce(round, child, slots.held(step.parents()), OperandOrder::theirs_first);
  }
  return std::move(builder).finish();
}

}  // namespace

extern const Algorithm reduce_scatter_pat = {
    .id = "reduce_scatter/pat",
    .summary =
        "each part is combined up a tree of its own, far last; trees share messages of "
        "`aggregation` parts",
    .source = "Jeaugey, arXiv 2506.20252 (2025); NCCL 2.23",
    .cost =
        "(log2 a + 2^q / a - 1) alpha + (p - 1) / p beta m for a parts in a message, q alpha for "
        "all",
    .collective = Collective::reduce_scatter,
    .parameters = aggregation_parameters,
    .commutative_only = true,
    .equal_blocks_only = true,
    .blocks = one_block,
    .make = generate,
    .cost_s = aggregated_trees_time_s,
};

}  // namespace anabranch
