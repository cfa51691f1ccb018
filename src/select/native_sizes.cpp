#include "select/native_sizes.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace anabranch {

bool is_reproducible(Collective collective, const Settings& settings) {
  return settings.reproducible && combines(collective);
}

Situation situation_under(const Settings& settings, Situation situation) {
  if (settings.plan == nullptr && !situation.plan_slices) situation.plan_slices = 0;
  return situation;
}

std::optional<Settled> settled_as_native(const Situation& situation, const Settings& settings) {
  if (settings.disable) return Settled{"ANABRANCH_DISABLE is set"};
  const auto size_bytes = static_cast<std::int64_t>(situation.size_bytes);
  const Selection* selection = settings.selection(situation.collective).at(size_bytes);
  if (selection != nullptr && selection->algorithm->is_native()) return Settled{"set by the user"};
  if (selection != nullptr || is_reproducible(situation.collective, settings)) return std::nullopt;
  if (settings.tuning != nullptr && settings.tuning->may_say(situation)) return std::nullopt;
  for (const Evidence& row : all_evidence()) {
    const Holds holds = row.holds(situation);
    if (holds == Holds::no) continue;
    if (!row.is_for_native()) return std::nullopt;
    if (holds == Holds::yes) return Settled{std::string(row.reason), &row};
  }
  return std::nullopt;
}

NativeSizes native_up_to_bytes(const Settings& settings,
                               std::optional<std::string_view> native_policy, bool network_known) {
  NativeSizes sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto collective = static_cast<Collective>(i);
    // What follows the sizes at which another setting or another row holds.
    std::vector<std::int64_t> begins = {0};
    for (const SizeRange& range : settings.selection(collective).ranges()) {
      begins.push_back(range.first_bytes);
      if (range.end_bytes != SizeRange::no_end) begins.push_back(range.end_bytes);
    }
    const auto add = [&begins](const Range& range) {
      begins.push_back(static_cast<std::int64_t>(range.from));
      if (range.to < 0x1p62) begins.push_back(static_cast<std::int64_t>(range.to) + 1);
    };
    for (const Evidence& row : all_evidence()) add(row.where.size_bytes);
    if (settings.tuning != nullptr) {
      for (const TunedRange& range : settings.tuning->ranges) add(range.where.size_bytes);
    }
    std::ranges::sort(begins);
    const auto served = std::ranges::find_if(begins, [&](std::int64_t begin) {
      const Situation unknown{.collective = collective,
                              .size_bytes = static_cast<double>(begin),
                              .network_known = network_known,
                              .native_policy = native_policy};
      return !settled_as_native(situation_under(settings, unknown), settings);
    });
    sizes[i] = served == begins.end() ? std::numeric_limits<std::int64_t>::max() : *served - 1;
  }
  return sizes;
}

}  // namespace anabranch
