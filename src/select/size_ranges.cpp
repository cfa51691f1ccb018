#include "select/size_ranges.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "algorithms/size.hpp"
#include "schedule/in_quotes.hpp"
#include "select/nearest.hpp"

namespace anabranch {
namespace {

constexpr std::string_view automatic = "auto";

[[noreturn]] void refuse(std::string_view text, const std::string& valid) {
  throw std::invalid_argument(in_quotes(text) + " is not valid: " + valid);
}

// Nothing for auto.
std::optional<Selection> parse_algorithm(Collective collective, std::string_view text) {
  if (text == automatic) return std::nullopt;
  const std::string native = std::string(name_of(collective)) + "/native";
  if (text == "native") return parse_selection(collective, native);
  const std::string id(text.substr(0, text.find(':')));
  std::vector<std::string> valid = {std::string(automatic), "native"};
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective != collective) continue;
    if (algorithm->id == id) return parse_selection(collective, text);
    valid.emplace_back(algorithm->id);
  }
  std::string nearest = nearest_to(id, valid);
  if (nearest.empty()) nearest = nearest_to(std::string(name_of(collective)) + "/" + id, valid);
  refuse(text, hint(nearest) + "valid are " + listed(valid));
}

// Names of algorithms and parameters begin with letters.
bool begins_range(std::string_view item) {
  return !item.empty() && (item.front() == '-' || (item.front() >= '0' && item.front() <= '9'));
}

// Each with what belongs to it: commas also stand between parameters.
std::vector<std::string_view> split_ranges(std::string_view text) {
  std::vector<std::string_view> found;
  std::size_t begin = 0;
  for (std::size_t comma = text.find(','); comma != text.npos; comma = text.find(',', comma + 1)) {
    if (!begins_range(text.substr(comma + 1))) continue;
    found.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  found.push_back(text.substr(begin));
  return found;
}

struct Limits {
  std::int64_t first_bytes = 0;
  std::int64_t end_bytes = SizeRange::no_end;
};

Limits parse_limits(Collective collective, std::string_view item, std::size_t colon) {
  const std::string_view range = item.substr(0, colon);
  const std::size_t dash = range.find('-');
  if (!begins_range(item) || colon == item.npos || dash == range.npos) {
    refuse(item, "write sizes as FIRST-LAST:ALGORITHM, as in 0-4KiB:native,4KiB-:" +
                     std::string(name_of(collective)) + "/native");
  }
  Limits limits;
  limits.first_bytes = parse_size(range.substr(0, dash));
  if (dash + 1 < range.size()) limits.end_bytes = parse_size(range.substr(dash + 1));
  if (limits.first_bytes >= limits.end_bytes) {
    refuse(range, "a range ends before its last size, which must be above the first");
  }
  return limits;
}

std::string text_of(const SizeRange& range) {
  std::string text = format_size(range.first_bytes) + "-";
  if (range.end_bytes != SizeRange::no_end) text += format_size(range.end_bytes);
  return text;
}

}  // namespace

SizeRanges SizeRanges::parse(Collective collective, std::string_view text) {
  SizeRanges found;
  const std::vector<std::string_view> items = split_ranges(text);
  if (items.size() == 1 && !begins_range(text)) {
    if (auto selection = parse_algorithm(collective, text)) {
      found.ranges_.push_back({.selection = *std::move(selection)});
    }
    return found;
  }
  std::vector<SizeRange> all;  // also those that are auto, which must not overlap either
  for (const std::string_view item : items) {
    const std::size_t colon = item.find(':');
    const auto [first_bytes, end_bytes] = parse_limits(collective, item, colon);
    const auto selection = parse_algorithm(collective, item.substr(colon + 1));
    all.push_back({first_bytes, end_bytes, selection.value_or(Selection{})});
  }
  std::ranges::sort(all, {}, &SizeRange::first_bytes);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].first_bytes >= all[i - 1].end_bytes) continue;
    refuse(text, text_of(all[i - 1]) + " and " + text_of(all[i]) + " overlap: give each size once");
  }
  std::ranges::copy_if(all, std::back_inserter(found.ranges_),
                       [](const SizeRange& range) { return range.selection.algorithm != nullptr; });
  return found;
}

std::string SizeRanges::text() const {
  if (ranges_.empty()) return std::string(automatic);
  const SizeRange& first = ranges_.front();
  if (first.first_bytes == 0 && first.end_bytes == SizeRange::no_end) return first.selection.text();
  std::string text;
  for (const SizeRange& range : ranges_) {
    if (!text.empty()) text += ',';
    text += text_of(range) + ":" + range.selection.text();
  }
  return text;
}

const Selection* SizeRanges::at(std::int64_t size_bytes) const {
  for (const SizeRange& range : ranges_) {
    if (range.first_bytes <= size_bytes && size_bytes < range.end_bytes) return &range.selection;
  }
  return nullptr;
}

}  // namespace anabranch
