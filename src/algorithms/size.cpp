#include "algorithms/size.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "schedule/in_quotes.hpp"

namespace anabranch {
namespace {

struct Unit {
  std::string_view suffix;  // in lower case
  int shift;
};

constexpr std::array<Unit, 10> units = {{{"", 0},
                                         {"b", 0},
                                         {"k", 10},
                                         {"kib", 10},
                                         {"m", 20},
                                         {"mib", 20},
                                         {"g", 30},
                                         {"gib", 30},
                                         {"t", 40},
                                         {"tib", 40}}};

bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }

// unit: what follows the number; where that is a word, it is what is wrong.
[[noreturn]] void refuse(std::string_view text, std::string_view unit = {}) {
  std::string message = in_quotes(text) + " is not a size: ";
  if (!unit.empty() && std::all_of(unit.begin(), unit.end(), is_letter)) {
    message += in_quotes(unit) + " is not a unit, ";
  }
  message += "valid are whole bytes, optionally with a unit, as in ";
  message += "4096, 64k, 4KiB, 1MiB, 2GiB";
  throw std::invalid_argument(message);
}

}  // namespace

std::int64_t parse_size(std::string_view text) {
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) refuse(text);
  const std::string_view unit_text(rest, text.data() + text.size());
  std::string suffix(unit_text);
  for (char& letter : suffix) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  for (const Unit& unit : units) {
    if (unit.suffix != suffix) continue;
    if (number > (std::numeric_limits<std::int64_t>::max() >> unit.shift)) refuse(text);
    return number << unit.shift;
  }
  refuse(text, unit_text);
}

std::string format_size(std::int64_t size_bytes) {
  constexpr std::array<Unit, 4> printed = {{{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}}};
  for (const Unit& unit : printed) {
    const std::int64_t whole = size_bytes >> unit.shift;
    if (whole > 0 && whole << unit.shift == size_bytes) {
      return std::to_string(whole) + std::string(unit.suffix);
    }
  }
  return std::to_string(size_bytes);
}

}  // namespace anabranch
