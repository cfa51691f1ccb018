// The two roles of arrival_aware.hpp, root and receiver, and the words in which they talk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>

#include "algorithms/arrival_aware.hpp"

namespace anabranch::arrival_aware {

// The first word of a message.
enum Word : std::int32_t {
  arrived,    // receiver: its window
  from_rank,  // root: source, whether a successor may follow
  in_group,   // root: algorithm, whether the last member may get a successor, members
  successor,  // root: rank or nobody, its window
  retiring,   // receiver: it gets its last blocks and has no successor yet
  passed_on,  // receiver: how many blocks its successor has from it
};

// Of a message, by its first word.
inline constexpr std::size_t fewest_words[] = {2, 3, 3, 3, 1, 2};

inline bool is_whole(std::span<const std::int32_t> words) {
  if (words.empty() || words[0] < 0) return false;
  const auto kind = static_cast<std::size_t>(words[0]);
  return kind < std::size(fewest_words) && words.size() >= fewest_words[kind];
}

std::unique_ptr<Execution> start_root(const Group& group, std::int32_t blocks,
                                      const Conditions& conditions, const ArrivalRules& rules,
                                      const GroupSchedules& groups);
std::unique_ptr<Execution> start_receiver(const Group& group, std::int32_t blocks,
                                          const Conditions& conditions,
                                          const GroupSchedules& groups);

}  // namespace anabranch::arrival_aware
