#include "algorithms/bine_tree.hpp"

#include "algorithms/logarithm.hpp"
#include "algorithms/parts_along_tree.hpp"

namespace anabranch {
namespace {

// How many ranks of a subtree that is not mirrored lie ahead of its top rank, or behind it.
std::int32_t reach(std::int32_t count, std::int32_t level, bool ahead) {
  std::int32_t ranks = 0;
  for (; level > 0; --level) {
    const std::int32_t other = count / 2;
    if ((level % 2 == 1) == ahead) ranks += other;
    count -= other;
  }
  return ranks;
}

}  // namespace

BineTree::BineTree(std::int32_t ranks) : ranks_(ranks), levels_(ceil_log2(ranks)) {}

BineTree::Node BineTree::find(std::int32_t rank) const {
  const auto around = [&](std::int32_t place) { return place < 0 ? place + ranks_ : place; };
  // Ranks behind the root are counted from -1 down.
  const std::int32_t target = rank <= reach(ranks_, levels_, true) ? rank : rank - ranks_;
  Node node;
  node.count = ranks_;
  std::int32_t top = 0;  // of the subtree that the target is in
  std::int32_t count = ranks_;
  bool is_mirrored = false;
  for (std::int32_t level = levels_; level > 0; --level) {
    const std::int32_t other = count / 2;
    count -= other;
    if (other == 0) continue;
    // Both halves lie with the same side towards each other, as one of them is mirrored.
    const bool faces_ahead = level % 2 == 1;
    const std::int32_t mine = reach(count, level - 1, faces_ahead);
    const std::int32_t theirs = reach(other, level - 1, faces_ahead);
    const bool is_ahead = faces_ahead != is_mirrored;
    const std::int32_t child = is_ahead ? top + mine + theirs + 1 : top - mine - theirs - 1;
    const std::int32_t first = is_ahead ? top + mine + 1 : top - mine - other;
    if (target == top) {
      node.children.push_back(around(child));
    } else if (first <= target && target < first + other) {
      node = {.parent = around(top),
              .round = levels_ - level,
              .first = around(first),
              .count = other,
              .children = {}};
      top = child;
      count = other;
      is_mirrored = !is_mirrored;
    }
  }
  return node;
}

void add_bine_scatter(Builder& builder, const Chunks& chunks, std::int32_t rank) {
  const BineTree tree(chunks.ranks);
  if (rank != 0) {
    builder.receive(tree.round_of(rank), tree.parent_of(rank), chunks_below(chunks, tree, rank));
  }
  tree.for_each_child(rank, [&](std::int32_t child) {
    builder.send(tree.round_of(child), child, chunks_below(chunks, tree, child));
    if (tree.subtree(child) > 1) builder.go_alone();
  });
}

}  // namespace anabranch
