#include "evidence/evidence.hpp"

#include <algorithm>
#include <array>

namespace anabranch {
namespace {

// Built from evidence.json.
#include "evidence_rows.inc"

}  // namespace

// Numbers that algorithms take from measurements.
namespace tuned {
#include "evidence_values.inc"
}  // namespace tuned

Holds Scope::hold(const Situation& situation) const {
  if (within_node != situation.is_within_node) return Holds::no;
  if (network_known.value_or(situation.network_known) != situation.network_known) return Holds::no;
  if (links_known.value_or(situation.links_known) != situation.links_known) return Holds::no;
  if (links_differ.value_or(situation.links_differ) != situation.links_differ) return Holds::no;
  if (unless_balanced && situation.is_balanced) return Holds::no;
  if (in_blocks && situation.in_blocks.value_or(*in_blocks) != *in_blocks) return Holds::no;
  bool all_known = !in_blocks || situation.in_blocks;
  const auto excludes = [&](const Range& range, std::optional<double> value) {
    if (range.is_everything()) return false;
    all_known = all_known && value.has_value();
    return value && !range.has(*value);
  };
  if (unequal_parts_only) {
    if (situation.has_equal_parts == true) return Holds::no;
    all_known = all_known && situation.has_equal_parts.has_value();
  }
  if (!native_policy.empty()) {
    if (situation.native_policy.value_or(native_policy) != native_policy) return Holds::no;
    all_known = all_known && situation.native_policy.has_value();
  }
  if (excludes(size_bytes, situation.size_bytes) || excludes(part_bytes, situation.part_bytes) ||
      excludes(ranks, situation.ranks) || excludes(nodes, situation.nodes) ||
      excludes(ranks_a_node, situation.ranks_a_node) ||
      excludes(bytes_per_s, situation.bytes_per_s) || excludes(latency_s, situation.latency_s) ||
      excludes(latencies_on_wire, situation.latencies_on_wire) ||
      excludes(plan_slices, situation.plan_slices) ||
      excludes(latencies_to_gain, situation.latencies_to_gain)) {
    return Holds::no;
  }
  return all_known ? Holds::yes : Holds::unknown;
}

Holds Evidence::holds(const Situation& situation) const {
  if (collective && *collective != situation.collective) return Holds::no;
  return where.hold(situation);
}

bool Evidence::was_slower(const Situation& situation, double predicted) const {
  const Gain* nearest = nullptr;
  double least = 2;
  for (const Gain& each : gains) {
    if (situation.native_policy != each.policy) continue;
    const auto size = static_cast<double>(each.size_bytes);
    const double factor = std::max(size / situation.size_bytes, situation.size_bytes / size);
    if (factor > least || (nearest != nullptr && factor == least)) continue;
    nearest = &each;
    least = factor;
  }
  return nearest != nullptr && nearest->high * std::max(predicted / nearest->predicted, 1.0) < 1;
}

std::span<const Evidence> all_evidence() { return rows; }

std::span<const TunedValue* const> all_tuned_values() {
  static constexpr std::array all = {&tuned::lookahead_of_alltoall,
                                     &tuned::segment_of_alltoall,
                                     &tuned::drift_of_circulant,
                                     &tuned::percent_of_a_chain,
                                     &tuned::exclusive_send,
                                     &tuned::latencies_of_a_part_segment,
                                     &tuned::segments_within_eager_limit,
                                     &tuned::parts_worth_a_message};
  return all;
}

}  // namespace anabranch
