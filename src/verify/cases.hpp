// Which cases of an algorithm are tried: sizes, parameters, numbers of blocks, behaviours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "verify/verifier.hpp"

namespace anabranch::verify {

// Where defaults and policies change their minds, among others; B.
inline constexpr std::int64_t sizes_bytes[] = {0,     1,      1000,   12287,   12288,
                                               65536, 524287, 524288, 1 << 20, 4 << 20};
inline constexpr std::int32_t max_blocks = 130;  // of those that an algorithm chooses itself

Problem problem_of(std::int32_t ranks, std::int64_t size_bytes);

template <typename T>
void add_once(std::vector<T>& items, T item) {
  if (std::ranges::find(items, item) == items.end()) items.push_back(std::move(item));
}

// Values for the parameters: the defaults of various problems, then each on its own at its limits.
std::vector<std::vector<std::int64_t>> value_sets(const Algorithm& algorithm, std::int32_t ranks);

// Above Campaign::thorough_ranks some behaviours of the network are tried, else every one.
inline constexpr std::size_t some_behaviours = 5;
inline constexpr std::size_t every_behaviour = std::numeric_limits<std::size_t>::max();

// Behaviours in turn, each time with another seed, so that cases differ in what they meet.
class BehaviourTurns {
 public:
  std::span<const Behaviour> take(std::size_t most);  // valid until the next call
  std::int64_t taken() const { return taken_; }

 private:
  std::vector<Behaviour> chosen_;
  std::int64_t taken_ = 0;
};

// Numbers of blocks at which algorithms tend to fail.
std::vector<std::int32_t> default_block_counts(Collective collective, std::int32_t ranks);

}  // namespace anabranch::verify
