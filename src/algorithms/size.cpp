#include "algorithms/size.hpp"

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

[[noreturn]] void refuse(std::string_view text) {
  throw std::invalid_argument(in_quotes(text) +
                              " is not a size: valid are whole bytes, optionally with a unit, as "
                              "in 4096, 64k, 4KiB, 1MiB, 2GiB");
}

}  // namespace

std::int64_t parse_size(std::string_view text) {
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) refuse(text);
  std::string suffix(rest, text.data() + text.size());
  for (char& letter : suffix) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  for (const Unit& unit : units) {
    if (unit.suffix != suffix) continue;
    if (number > (std::numeric_limits<std::int64_t>::max() >> unit.shift)) refuse(text);
    return number << unit.shift;
  }
  refuse(text);
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
