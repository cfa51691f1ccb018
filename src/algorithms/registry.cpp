#include <algorithm>
#include <array>
#include <stdexcept>

#include "algorithms/algorithm.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/size.hpp"
#include "schedule/in_quotes.hpp"

namespace anabranch {
namespace {

constexpr auto unsorted = std::to_array<const Algorithm*>({
#define ANABRANCH_ALGORITHM(name) &name,
#include "algorithms/list.inc"
#undef ANABRANCH_ALGORITHM
});

// Joins names as "a, b, c".
template <typename Range, typename Name>
std::string listed(const Range& range, Name name) {
  std::string text;
  for (const auto& item : range) {
    const std::string_view word = name(item);
    if (word.empty()) continue;
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

const Algorithm& named(Collective collective, std::string_view id) {
  const Algorithm* found = find_algorithm(id);
  if (found != nullptr && found->collective == collective) return *found;
  const std::string valid =
      listed(all_algorithms(), [collective](const Algorithm* algorithm) -> std::string_view {
        return algorithm->collective == collective ? algorithm->id : std::string_view{};
      });
  throw std::invalid_argument(in_quotes(id) + " is not an algorithm for " +
                              std::string(name_of(collective)) + ": valid are " + valid);
}

std::size_t parameter_index(const Algorithm& algorithm, std::string_view name) {
  for (std::size_t index = 0; index < algorithm.parameters.size(); ++index) {
    if (algorithm.parameters[index].name == name) return index;
  }
  const std::string prefix =
      std::string(algorithm.id) + " has no parameter " + in_quotes(name) + ": ";
  if (algorithm.parameters.empty()) throw std::invalid_argument(prefix + "it takes none");
  throw std::invalid_argument(
      prefix + "valid are " +
      listed(algorithm.parameters, [](const Parameter& parameter) { return parameter.name; }));
}

constexpr std::string_view automatic = "auto";

std::int64_t algorithm_value(const Algorithm& algorithm, const Parameter& parameter,
                             std::string_view text) {
  const bool may_be_automatic = parameter.minimum < 0;
  if (may_be_automatic && text == automatic) return -1;
  const Collective collective = parameter.algorithms_of.value_or(algorithm.collective);
  const auto all = all_algorithms();
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (all[index]->can_be_component(collective) && all[index]->name() == text) {
      return static_cast<std::int64_t>(index);
    }
  }
  throw std::invalid_argument(
      "parameter " + std::string(parameter.name) + " of " + std::string(algorithm.id) +
      " cannot be " + in_quotes(text) + ": valid are " +
      (may_be_automatic ? std::string(automatic) + ", " : "") +
      listed(all, [&](const Algorithm* other) {
        return other->can_be_component(collective) ? other->name() : std::string_view{};
      }));
}

std::int64_t parameter_value(const Algorithm& algorithm, const Parameter& parameter,
                             std::string_view text) {
  if (parameter.is_algorithm) return algorithm_value(algorithm, parameter, text);
  const std::string wrong = "parameter " + std::string(parameter.name) + " of " +
                            std::string(algorithm.id) + " cannot be " + in_quotes(text) + ": ";
  const std::string range =
      format_size(parameter.minimum) + " to " + format_size(parameter.maximum);
  std::int64_t value = -1;
  try {
    value = parse_size(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(wrong + error.what() + "; from " + range);
  }
  if (value >= parameter.minimum && value <= parameter.maximum) return value;
  throw std::invalid_argument(wrong + "valid are " + range);
}

}  // namespace

std::span<const Algorithm* const> all_algorithms() {
  static const auto sorted = [] {
    auto rows = unsorted;
    std::sort(rows.begin(), rows.end(),
              [](const Algorithm* a, const Algorithm* b) { return a->id < b->id; });
    return rows;
  }();
  return sorted;
}

const Algorithm* find_algorithm(std::string_view id) {
  const auto rows = all_algorithms();
  const auto found = std::lower_bound(
      rows.begin(), rows.end(), id,
      [](const Algorithm* algorithm, std::string_view wanted) { return algorithm->id < wanted; });
  return found != rows.end() && (*found)->id == id ? *found : nullptr;
}

std::string format_value(const Parameter& parameter, std::int64_t value) {
  if (!parameter.is_algorithm) return format_size(value);
  if (value < 0) return std::string(automatic);
  return std::string(all_algorithms()[static_cast<std::size_t>(value)]->name());
}

bool Algorithm::serves(SizeKnowledge sizes, Values values) const {
  if (sizes == SizeKnowledge::everywhere) return true;
  if (knowledge == SizeKnowledge::everywhere) return is_native();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == "sizes") return values[i] == 1;
  }
  return true;
}

std::int64_t index_of(const Algorithm& algorithm) {
  const auto all = all_algorithms();
  return std::ranges::find(all, &algorithm) - all.begin();
}

const Algorithm* algorithm_at(std::int64_t index) {
  const auto all = all_algorithms();
  return index >= 0 && index < std::ssize(all) ? all[static_cast<std::size_t>(index)] : nullptr;
}

std::optional<std::string> refusal(const Choice& choice, const Problem& problem) {
  const Algorithm& algorithm = *choice.algorithm;
  const std::string id(algorithm.id);
  if (algorithm.needs_plan && problem.planned.slice_bytes == 0) {
    return "the plan does not know all hosts";
  }
  if (algorithm.needs_nodes && problem.nodes.count == 0) {
    return "nobody knows which ranks share a node";
  }
  if (!algorithm.runs_on(problem.ranks)) {
    return id + " cannot run on " + std::to_string(problem.ranks) + " ranks";
  }
  if (!algorithm.serves(problem.sizes, choice.values)) {
    return id + " needs the sizes of all parts on all ranks";
  }
  if (algorithm.equal_blocks_only && !problem.equal_blocks) return id + " needs parts of one size";
  if (algorithm.commutative_only && !problem.commutative) {
    return id + " needs an MPI_Op that commutes";
  }
  if (algorithm.combines_by_arrival && !problem.any_order) {
    return id +
           " combines in the order of arrivals, which may change bits in each run: "
           "reduction_order=any allows it";
  }
  return std::nullopt;
}

Choice with_defaults(const Algorithm& algorithm, const Problem& problem) {
  return Selection{&algorithm, {}}.at(problem);
}

Choice resolve(Choice choice, const Problem& problem) {
  while (const auto* pick = std::get_if<PickAnother>(&choice.algorithm->make)) {
    choice = (*pick)(problem);
  }
  return choice;
}

Choice Selection::at(const Problem& problem) const {
  Choice choice{algorithm, {}};
  choice.values.reserve(algorithm->parameters.size());
  for (const Parameter& parameter : algorithm->parameters) {
    choice.values.push_back(parameter.default_value(problem));
  }
  for (const auto& [index, value] : fixed) choice.values[index] = value;
  return choice;
}

std::string Selection::text() const {
  std::string text(algorithm->id);
  char separator = ':';
  for (const auto& [index, value] : fixed) {
    text += separator;
    text += algorithm->parameters[index].name;
    text += '=';
    text += format_value(algorithm->parameters[index], value);
    separator = ',';
  }
  return text;
}

Selection parse_selection(Collective collective, std::string_view text) {
  const std::size_t colon = text.find(':');
  const Algorithm& algorithm = named(collective, text.substr(0, colon));
  Selection selection{&algorithm, {}};
  std::string_view rest = colon == text.npos ? std::string_view{} : text.substr(colon + 1);
  bool more = colon != text.npos;
  while (more) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    more = comma != rest.npos;
    if (more) rest.remove_prefix(comma + 1);
    const std::size_t equals = item.find('=');
    if (equals == item.npos) {
      throw std::invalid_argument(in_quotes(item) + " in " + in_quotes(text) +
                                  " is not a parameter: write it as name=value");
    }
    const std::size_t index = parameter_index(algorithm, item.substr(0, equals));
    for (const auto& [earlier, value] : selection.fixed) {
      if (earlier == index) {
        throw std::invalid_argument("parameter " + std::string(item.substr(0, equals)) +
                                    " is given twice in " + in_quotes(text));
      }
    }
    selection.fixed.emplace_back(
        index, parameter_value(algorithm, algorithm.parameters[index], item.substr(equals + 1)));
  }
  std::sort(selection.fixed.begin(), selection.fixed.end());
  return selection;
}

}  // namespace anabranch
