// A plan: the trees along which broadcasts go on a network whose links differ. `anabranch plan`
// computes it from a description of the platform; here it is read and fitted to a communicator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anabranch {

constexpr std::int32_t no_node = -1;

// A message is cut into slices of `slice_bytes`. Slice k goes along tree order[k % order.size()].
struct Plan {
  struct Tree {
    std::vector<std::int32_t> parent;    // by node; no_node at the root
    std::vector<std::int32_t> position;  // by node: its place among all, in the order of sending
  };
  // When a node gets a slice of the period, in a one-port plan. All transfers of a round go at the
  // same time: no two have the same sender, and no two the same receiver.
  struct Transfer {
    std::int32_t place = 0;   // in `order`
    std::int32_t target = 0;  // a node; the sender is its parent
    std::int32_t lap = 0;     // so many periods after the one that the slice belongs to
  };
  std::string model;
  std::int64_t slice_bytes = 0;
  bool serial = false;  // a node sends one message after the other
  std::int32_t root = 0;
  double period_s = 0;  // in which order.size() slices go
  std::vector<std::string> nodes;
  std::vector<Tree> trees;
  std::vector<std::int32_t> order;
  std::vector<std::vector<Transfer>> rounds;  // of a period, one after the other; may be empty

  std::int32_t node_of(std::string_view name) const;  // no_node if there is none of that name
};

// Of the text of a file (schema anabranch/plan/1) called `name`. Throws std::invalid_argument with
// one line that says what is wrong.
Plan parse_plan(std::string_view text, std::string_view name);

}  // namespace anabranch
