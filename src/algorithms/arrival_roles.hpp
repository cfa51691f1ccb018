// The two roles of arrival_aware.hpp, root and receiver, and the control messages between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>

#include "algorithms/arrival_aware.hpp"

namespace anabranch::arrival_aware {

// The first number of a control message.
enum ControlKind : std::int32_t {
  arrived,       // receiver: its window
  from_rank,     // root: source, whether successors may follow
  in_group,      // root: algorithm, that within nodes, whether successors may follow, members
  successor,     // root: rank, its window, whether it is on the same node
  no_successor,  // root: none follows any more
  retiring,      // receiver: it gets its last blocks
  passed_on,     // receiver: how many blocks its successor on another node has from it
};

// The least length of a control message, by its first number.
inline constexpr std::size_t min_control_length[] = {2, 3, 4, 4, 1, 1, 2};

inline bool is_whole(std::span<const std::int32_t> control) {
  if (control.empty() || control[0] < 0) return false;
  const auto kind = static_cast<std::size_t>(control[0]);
  return kind < std::size(min_control_length) && control.size() >= min_control_length[kind];
}

inline bool is_window(std::int32_t window) { return 1 <= window && window <= Window::maximum; }

std::unique_ptr<Execution> start_root(const Group& group, std::int32_t blocks,
                                      const Conditions& conditions, const ArrivalRules& rules,
                                      const GroupSchedules& groups);
std::unique_ptr<Execution> start_receiver(const Group& group, std::int32_t blocks,
                                          const Conditions& conditions,
                                          const GroupSchedules& groups);

}  // namespace anabranch::arrival_aware
