#include "verify/cases.hpp"

namespace anabranch::verify {
namespace {

constexpr std::int64_t all_values_up_to = 8;  // parameters with few values are tried with all

}  // namespace

Problem problem_of(std::int32_t ranks, std::int64_t size_bytes) {
  return {ranks, size_bytes, {1e-4, 2e-7, 8192}};
}

std::vector<std::vector<std::int64_t>> value_sets(const Algorithm& algorithm, std::int32_t ranks) {
  std::vector<std::vector<std::int64_t>> sets;
  for (const std::int64_t size_bytes : sizes_bytes) {
    add_once(sets, with_defaults(algorithm, problem_of(ranks, size_bytes)).values);
  }
  for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) {
    const Parameter& parameter = algorithm.parameters[i];
    std::vector<std::int64_t> tried = {parameter.minimum, parameter.maximum};
    if (parameter.maximum - parameter.minimum < all_values_up_to) {
      for (auto value = parameter.minimum; value < parameter.maximum; ++value) {
        add_once(tried, value);
      }
    }
    for (const std::int64_t value : tried) {
      auto values = sets.front();
      values[i] = value;
      add_once(sets, values);
    }
  }
  return sets;
}

std::span<const Behaviour> BehaviourTurns::take(std::size_t most) {
  const auto all = default_behaviours();
  chosen_.clear();
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
    chosen_.push_back(all[static_cast<std::size_t>(taken_) % all.size()]);
    chosen_.back().seed += static_cast<std::uint64_t>(taken_++);
  }
  return chosen_;
}

std::vector<std::int32_t> default_block_counts(Collective collective, std::int32_t ranks) {
  if (has_parts(collective)) return {1, 2, 3};  // a part is not shared out among ranks
  std::vector<std::int32_t> counts = {1, 2, 3, 17};
  for (const std::int32_t count : {ranks - 1, ranks, ranks + 1}) {
    if (count >= 1) add_once(counts, count);
  }
  std::ranges::sort(counts);
  return counts;
}

}  // namespace anabranch::verify
