#include "schedule/json_file.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "schedule/in_quotes.hpp"

namespace anabranch::json_file {
namespace {

constexpr std::size_t max_depth = 16;

}  // namespace

std::int64_t whole(const Json& value, std::int64_t least, std::int64_t most) {
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most) &&
      value.get<std::int64_t>() >= least) {
    return value.get<std::int64_t>();
  }
  throw Wrong(in_quotes(value.dump()) + " is no whole number from " + std::to_string(least) +
              " to " + std::to_string(most));
}

double above_0(const Json& value) {
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (number > 0 && std::isfinite(number)) return number;
  }
  throw Wrong(in_quotes(value.dump()) + " is no number above 0");
}

const Json& array(const Json& value) {
  if (!value.is_array()) throw Wrong(in_quotes(value.dump()) + " is no list");
  return value;
}

void check_schema(const Json& document, std::string_view schema) {
  if (!document.is_object() || !document.contains("schema") ||
      document["schema"] != std::string(schema)) {
    throw Wrong("its schema is not " + std::string(schema));
  }
}

Json parsed(std::string_view text, std::size_t most_members, std::string_view what) {
  // The objects of the JSON library look for a key among all others.
  std::vector<std::size_t> keys(max_depth + 2, 0);  // so far, by depth
  const auto within_limits = [&](int depth, Json::parse_event_t event, const Json&) {
    const auto level = static_cast<std::size_t>(depth);
    if (level > max_depth) throw Wrong("it is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys[level + 1] = 0;
    if (event == Json::parse_event_t::key && ++keys[level] > most_members) {
      throw Wrong("it has more than " + std::to_string(most_members) + " " + std::string(what));
    }
    return true;
  };
  return Json::parse(text, within_limits);
}

void tell(const std::string& prefix) {
  try {
    throw;
  } catch (const Wrong& wrong) {
    throw std::invalid_argument(prefix + wrong.what());
  } catch (const Json::parse_error& error) {
    throw std::invalid_argument(prefix + "not JSON at byte " + std::to_string(error.byte));
  } catch (const Json::exception& error) {
    const std::string what = error.what();  // "[json.exception.out_of_range.403] key 'x' not found"
    throw std::invalid_argument(prefix + printable(what.substr(what.find("] ") + 2)));
  }
}

}  // namespace anabranch::json_file
