#include "evidence/evidence.hpp"

#include <array>

namespace anabranch {
namespace {

// What the rows below share. "Lab": emulated nodes of one full-duplex port each (anabranch lab), on
// a machine with 2 cores, MPICH 5.0.2 and Open MPI 5.0.11. Figures are from ports of 40 Mbit/s,
// checks from 10 to 400; latencies are 8 to 40 us as measured there. Rates
// and latencies of one more decade are taken to be like them.
constexpr Range lab_rates = {.from = 1.25e5, .to = 1.25e8};  // bytes/s: 1 Mbit/s to 1 Gbit/s
constexpr Range lab_latencies = {.from = 1e-6, .to = 2e-3};  // s
constexpr Range lab_ranks = {.from = 1, .to = 64};
constexpr Range ranks_3_to_16 = {.from = 3, .to = 16};
constexpr Range ranks_17_to_64 = {.from = 17, .to = 64};
constexpr Range one = {.from = 1, .to = 1};
constexpr Range several = {.from = 2};

constexpr auto rows = std::to_array<Evidence>({
#include "evidence/rows.inc"
});

}  // namespace

#include "evidence/values.inc"

Holds Scope::hold(const Situation& situation) const {
  if (within_node != situation.is_within_node) return Holds::no;
  if (links_known.value_or(situation.links_known) != situation.links_known) return Holds::no;
  if (links_differ.value_or(situation.links_differ) != situation.links_differ) return Holds::no;
  if (unless_balanced && situation.is_balanced) return Holds::no;
  bool all_known = true;
  const auto excludes = [&](const Range& range, std::optional<double> value) {
    if (range.is_everything()) return false;
    all_known = all_known && value.has_value();
    return value && !range.has(*value);
  };
  if (unequal_parts_only) {
    if (situation.has_equal_parts == true) return Holds::no;
    all_known = situation.has_equal_parts.has_value();
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
      excludes(plan_slices, situation.plan_slices)) {
    return Holds::no;
  }
  return all_known ? Holds::yes : Holds::unknown;
}

Holds Evidence::holds(const Situation& situation) const {
  if (collective && *collective != situation.collective) return Holds::no;
  return where.hold(situation);
}

std::span<const Evidence> all_evidence() { return rows; }

std::span<const TunedValue* const> all_tuned_values() {
  static constexpr std::array all = {&tuned::lookahead_of_alltoall,
                                     &tuned::drift_of_circulant,
                                     &tuned::exclusive_send,
                                     &tuned::latencies_of_a_part_segment,
                                     &tuned::segments_within_eager_limit,
                                     &tuned::parts_worth_a_message};
  return all;
}

}  // namespace anabranch
