#include "select/tuning.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "schedule/in_quotes.hpp"
#include "schedule/json_file.hpp"

namespace anabranch {
namespace {

using json_file::above_0;
using json_file::array;
using json_file::Json;
using json_file::whole;
using json_file::Wrong;

constexpr std::string_view schema = "anabranch/tuning/1";
constexpr std::size_t most_members = 64;
constexpr std::size_t most_ranges = 10'000;
constexpr std::int64_t most_ranks = 1 << 24;
// Two ways of measuring a network differ by less; another network, as a rule, by more.
constexpr double same_rate = 2;
constexpr double same_latency = 4;

Json document_in(std::string_view text) {
  Json document = json_file::parsed(text, most_members, "members");
  json_file::check_schema(document, schema);
  return document;
}

Range exactly(double value) { return {.from = value, .to = value}; }
Range around(double value, double factor) { return {.from = value / factor, .to = value * factor}; }

// All that ranges of a file share.
struct Measured {
  std::string date;
  Range bytes_per_s;
  Range latency_s;
};

Scope scope_of(const Json& row, const Measured& measured) {
  const std::int64_t first = whole(row.at("first_bytes"), 1, std::int64_t{1} << 50);
  const std::int64_t last = whole(row.at("last_bytes"), first, std::int64_t{1} << 50);
  const std::int64_t ranks = whole(row.at("ranks"), 1, most_ranks);
  // Older files do not tell: they were measured in blocks, as launchers place ranks by themselves.
  const bool in_blocks = !row.contains("in_blocks") || row.at("in_blocks").get<bool>();
  return {.links_differ = false,
          .in_blocks = in_blocks,
          .size_bytes = {.from = static_cast<double>(first), .to = static_cast<double>(last)},
          .ranks = exactly(static_cast<double>(ranks)),
          .nodes = exactly(static_cast<double>(whole(row.at("nodes"), 1, ranks))),
          .ranks_a_node = exactly(static_cast<double>(whole(row.at("ranks_a_node"), 1, ranks))),
          .bytes_per_s = measured.bytes_per_s,
          .latency_s = measured.latency_s};
}

std::string reason_of(const TunedRange& range, const std::string& date) {
  if (range.selection.algorithm->is_native()) {
    return "tuned on " + date + ": no algorithm was clearly faster";
  }
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", range.times_as_fast);
  return "tuned on " + date + ": " + text + " times as fast as native";
}

TunedRange range_of(const Json& row, const Measured& measured) {
  const auto name = row.at("collective").get<std::string>();
  const auto collective = collective_named(name);
  if (!collective) throw Wrong(in_quotes(name) + " is no collective");
  TunedRange range{.collective = *collective, .where = scope_of(row, measured)};
  try {
    range.selection = parse_selection(*collective, row.at("choice").get<std::string>());
  } catch (const std::invalid_argument& error) {
    throw Wrong(error.what());
  }
  range.times_as_fast = above_0(row.at("times_as_fast"));
  range.reason = reason_of(range, measured.date);
  return range;
}

bool overlap(const TunedRange& one, const TunedRange& other) {
  const Scope &a = one.where, &b = other.where;
  return one.collective == other.collective && a.ranks.from == b.ranks.from &&
         a.nodes.from == b.nodes.from && a.ranks_a_node.from == b.ranks_a_node.from &&
         a.in_blocks == b.in_blocks && a.size_bytes.from <= b.size_bytes.to &&
         b.size_bytes.from <= a.size_bytes.to;
}

void check_that_none_overlap(std::vector<TunedRange> ranges) {
  const auto place = [](const TunedRange& range) {
    const Scope& where = range.where;
    return std::array{static_cast<double>(range.collective),
                      where.ranks.from,
                      where.nodes.from,
                      where.ranks_a_node.from,
                      static_cast<double>(where.in_blocks == true),
                      where.size_bytes.from};
  };
  std::ranges::sort(ranges, {}, place);
  const auto found = std::ranges::adjacent_find(ranges, overlap);
  if (found == ranges.end()) return;
  throw Wrong("two rows of " + std::string(name_of(found->collective)) + " overlap");
}

Tuning tuning_in(const Json& document) {
  const Json& network = document.at("network");
  const Measured measured{.date = printable(document.at("date").get<std::string>().substr(0, 10)),
                          .bytes_per_s = around(above_0(network.at("bytes_per_s")), same_rate),
                          .latency_s = around(above_0(network.at("latency_s")), same_latency)};
  Tuning tuning;
  tuning.mpi_version = document.at("mpi_version").get<std::string>();
  tuning.native_policy = document.at("native_policy").get<std::string>();
  const Json& rows = array(document.at("rows"));
  if (rows.size() > most_ranges) throw Wrong("it has more than 10,000 rows");
  for (const Json& row : rows) tuning.ranges.push_back(range_of(row, measured));
  check_that_none_overlap(tuning.ranges);
  return tuning;
}

std::string prefix(std::string_view name) { return in_quotes(name) + " is not a tuning file: "; }

}  // namespace

const TunedRange* Tuning::find(const Situation& situation, std::string_view policy) const {
  if (policy != native_policy || situation.has_equal_parts == false) return nullptr;
  const auto holds = [&](const TunedRange& range) {
    return range.collective == situation.collective && range.where.hold(situation) == Holds::yes;
  };
  const auto found = std::ranges::find_if(ranges, holds);
  return found == ranges.end() ? nullptr : &*found;
}

bool Tuning::may_say(const Situation& situation) const {
  return situation.has_equal_parts != false &&
         std::ranges::any_of(ranges, [&](const TunedRange& range) {
           return range.collective == situation.collective &&
                  range.where.hold(situation) != Holds::no;
         });
}

std::string Tuning::misfit(const Situation& situation) const {
  if (situation.has_equal_parts == false) return "the parts are not of one size";
  bool is_measured = false;
  bool is_at_place = false;
  bool is_placed_alike = true;
  for (const auto& [collective, where, selection, times_as_fast, reason] : ranges) {
    if (collective != situation.collective) continue;
    is_measured = true;
    const auto has = [](const Range& range, std::optional<double> value) {
      return value && range.has(*value);
    };
    if (!has(where.ranks, situation.ranks) || !has(where.nodes, situation.nodes) ||
        !has(where.ranks_a_node, situation.ranks_a_node)) {
      continue;
    }
    if (where.in_blocks != situation.in_blocks) {
      is_placed_alike = false;
      continue;
    }
    is_at_place = true;
    if (!situation.links_differ && has(where.bytes_per_s, situation.bytes_per_s) &&
        has(where.latency_s, situation.latency_s))
      return {};
  }
  if (!is_measured) return "it was not measured";
  if (is_at_place) {
    return situation.links_differ ? "links differ" : "the network was another one";
  }
  return is_placed_alike ? "other numbers of ranks, nodes and ranks a node were measured"
                         : "ranks were placed on the nodes in another order";
}

Tuning parse_tuning(std::string_view text, std::string_view name) {
  try {
    return tuning_in(document_in(text));
  } catch (...) {
    json_file::tell(prefix(name));
  }
}

std::string without_measurements(std::string_view text, std::string_view name) {
  try {
    Json document = document_in(text);
    document.erase("cells");
    return document.dump();
  } catch (...) {
    json_file::tell(prefix(name));
  }
}

}  // namespace anabranch
