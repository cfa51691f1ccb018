#include "select/rule.hpp"

#include <optional>

#include "algorithms/preference.hpp"
#include "algorithms/size.hpp"
#include "select/quantity.hpp"

namespace anabranch {
namespace {

// Messages that a link carries in fewer than this many latencies go to native: the number of rounds
// alone decides, and every MPI has a tree for that.
constexpr double native_below_latencies = 2;
// With two ranks every broadcast is one message.
constexpr std::int32_t native_up_to_ranks = 2;

// Of these, most of the time goes within nodes, where the MPI has shared memory.
constexpr std::int64_t native_on_shared_nodes_up_to_bytes = 8192;

// Faster networks may be no slower than the memory of a node, through which an algorithm by nodes
// takes everything once more. Bytes per second; measured on slower ones only.
constexpr double fast_network = 1e9;

std::string too_short(double wire_s, const Network& network) {
  return "the message is short: " + format_duration(wire_s) + " on the wire, with a latency of " +
         format_duration(network.latency_s);
}

// Whether the rule for ranks that share nodes is the one to look at.
bool goes_by_nodes(const Preference& preference, const Problem& problem) {
  return !preference.on_shared_nodes.empty() && problem.nodes.count > 1 &&
         problem.nodes.largest > 1 && problem.network.time_per_byte_s * fast_network >= 1;
}

Choice by_nodes(const Preference& preference, const Problem& problem) {
  return with_defaults(*find_algorithm(preference.on_shared_nodes), problem);
}

std::optional<std::string> why_native_on_shared_nodes(const Preference& preference,
                                                      const Problem& problem) {
  if (problem.size_bytes <= native_on_shared_nodes_up_to_bytes) {
    return "messages up to " + format_size(native_on_shared_nodes_up_to_bytes) +
           " are short where several ranks share a node";
  }
  if (has_parts(preference.collective) && problem.part_bytes() < short_parts_bytes) {
    return "parts of less than " + format_size(short_parts_bytes) + " are too short";
  }
  return refusal(by_nodes(preference, problem), problem);
}

std::optional<std::string> why_native(Collective collective, const Problem& problem,
                                      const Offers& offers) {
  const Preference* preference = preference_of(collective);
  if (preference == nullptr) return std::string(name_of(collective)) + " runs others when set";
  const Network& network = problem.network;
  const double wire_s = static_cast<double>(problem.size_bytes) * network.time_per_byte_s;
  if (!is_known(network)) return "the network is not known";
  if (problem.single_node) return "all ranks are on one node, where the MPI has shared memory";
  if (problem.ranks <= native_up_to_ranks) return "one message is all there is to do";
  if (problem.size_bytes <= preference->native_up_to_bytes) {
    return "messages up to " + format_size(preference->native_up_to_bytes) +
           " are too short to cut";
  }
  if (wire_s < native_below_latencies * network.latency_s) return too_short(wire_s, network);
  if (!problem.equal_blocks) return "parts have unequal sizes";  // not measured yet
  if (goes_by_nodes(*preference, problem)) return why_native_on_shared_nodes(*preference, problem);
  if (collective == Collective::bcast) return std::nullopt;
  if (problem.nodes.largest > 1) return "several ranks share a node";
  if (offers.count == 0) return "there is no other";
  const bool is_measured = offers.preferred().choice.algorithm == offers.measured.choice.algorithm;
  return preference->or_native && !is_measured ? std::optional(too_short(wire_s, network))
                                               : std::nullopt;
}

// Fewer slices do not fill the trees of a plan.
constexpr std::int64_t fewest_planned_slices = 8;

bool goes_as_planned(Collective collective, const Problem& problem) {
  const std::int64_t slice_bytes = problem.planned.slice_bytes;
  return collective == Collective::bcast && slice_bytes > 0 && !problem.single_node &&
         problem.size_bytes >= fewest_planned_slices * slice_bytes;
}

// The one algorithm of the collective that is so; null where there is none.
template <typename IsWanted>
const Algorithm* only_one(Collective collective, IsWanted is_wanted) {
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective == collective && is_wanted(*algorithm)) return algorithm;
  }
  return nullptr;
}

}  // namespace

bool is_known(const Network& network) {
  return network.latency_s > 0 || network.time_per_byte_s > 0;
}

Choice native_for(Collective collective) {
  return {only_one(collective, [](const Algorithm& one) { return one.is_native(); }), {}};
}

std::string cheapest_of(const Offers& offers) {
  return "the cheapest of " + std::to_string(offers.count);
}

Ruling rule(Collective collective, const Problem& problem, const Offers& offers) {
  if (goes_as_planned(collective, problem)) {
    const auto* planned = only_one(collective, [](const Algorithm& one) { return one.needs_plan; });
    return {with_defaults(*planned, problem), "planned"};
  }
  if (auto why = why_native(collective, problem, offers)) {
    return {native_for(collective), *std::move(why)};
  }
  const Preference& preference = *preference_of(collective);
  if (goes_by_nodes(preference, problem)) {
    return {by_nodes(preference, problem), "fast when measured, as ranks of a node share its port"};
  }
  const Choice& preferred = offers.preferred().choice;
  if (preferred.algorithm == offers.cheapest.choice.algorithm) {
    return {preferred, cheapest_of(offers) + " under the model"};
  }
  return {preferred,
          "fast when measured, and nearly as cheap under the model as " + cheapest_of(offers)};
}

}  // namespace anabranch
