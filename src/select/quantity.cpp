#include "select/quantity.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>

#include "schedule/in_quotes.hpp"

namespace anabranch {
namespace {

struct Unit {
  std::string_view name;  // in lower case
  double factor;
};

// From the largest to the smallest: formatting takes the first one that fits.
constexpr std::array<Unit, 6> durations = {
    {{"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};

constexpr std::array<Unit, 14> bandwidths = {{{"bit", 1.0 / 8},
                                              {"kbit", 1e3 / 8},
                                              {"mbit", 1e6 / 8},
                                              {"gbit", 1e9 / 8},
                                              {"tbit", 1e12 / 8},
                                              {"b", 1},
                                              {"kb", 1e3},
                                              {"mb", 1e6},
                                              {"gb", 1e9},
                                              {"tb", 1e12},
                                              {"kib", 1024.0},
                                              {"mib", 1024.0 * 1024},
                                              {"gib", 1024.0 * 1024 * 1024},
                                              {"tib", 1024.0 * 1024 * 1024 * 1024}}};

constexpr double longest_s = 1e4 * 3600;
constexpr double slowest_bytes_per_s = 1e-3;
constexpr double fastest_bytes_per_s = 1e18;

struct Quantity {
  double number;
  std::string unit;  // in lower case
};

// A plain decimal number and what follows it; nothing where there is no number of at least 0.
std::optional<Quantity> split(std::string_view text) {
  double number = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const bool starts_with_digit =
      !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
  if (error != std::errc() || !starts_with_digit) return std::nullopt;
  std::string unit(rest, text.data() + text.size());
  for (char& letter : unit) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return Quantity{number, unit};
}

std::optional<double> scaled(const Quantity& quantity, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (unit.name == quantity.unit) return quantity.number * unit.factor;
  }
  return std::nullopt;
}

// What is printed as 1.000 counts as one of the unit.
constexpr double rounds_to_one = 0.99995;

std::string with_digits(double number) {
  std::array<char, 400> text{};
  // Without an exponent, which would not be read back.
  std::snprintf(text.data(), text.size(), number < 1000 ? "%.4g" : "%.0f", number);
  return text.data();
}

}  // namespace

double parse_duration_s(std::string_view text) {
  const auto quantity = split(text);
  if (quantity && quantity->number == 0 && quantity->unit.empty()) return 0;
  const auto duration_s = quantity ? scaled(*quantity, durations) : std::nullopt;
  if (duration_s && *duration_s <= longest_s) return *duration_s;
  throw std::invalid_argument(
      in_quotes(text) +
      " is not a duration: valid is a number with a unit ns, us, ms, s, min "
      "or h, as in 30s or 100us, of at most 10000h");
}

std::string format_duration(double duration_s) {
  if (duration_s == 0) return "0s";
  for (const Unit& unit : durations) {
    // Minutes and hours only where nothing is left over, so that 90 s stays "90s".
    const double number = duration_s / unit.factor;
    const bool whole = number == static_cast<double>(static_cast<std::int64_t>(number));
    if (number >= rounds_to_one && (unit.factor <= 1 || whole))
      return with_digits(number) + std::string(unit.name);
  }
  return with_digits(duration_s / durations.back().factor) + std::string(durations.back().name);
}

double parse_bandwidth_bytes_per_s(std::string_view text) {
  auto quantity = split(text);
  if (quantity && quantity->unit.ends_with("/s")) {
    quantity->unit.resize(quantity->unit.size() - 2);
  }
  const auto bandwidth = quantity ? scaled(*quantity, bandwidths) : std::nullopt;
  if (bandwidth && slowest_bytes_per_s <= *bandwidth && *bandwidth <= fastest_bytes_per_s) {
    return *bandwidth;
  }
  throw std::invalid_argument(
      in_quotes(text) +
      " is not a bandwidth: valid is a number above 0 with a unit kbit, "
      "mbit, gbit, kB/s, MB/s, GB/s or MiB/s, as in 40mbit or 1.2GB/s, from "
      "0.001B/s to 1000000TB/s");
}

std::string format_bandwidth(double bytes_per_s) {
  constexpr std::array<Unit, 5> printed = {
      {{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1}}};
  for (const Unit& unit : printed) {
    if (bytes_per_s >= unit.factor * rounds_to_one)
      return with_digits(bytes_per_s / unit.factor) + std::string(unit.name);
  }
  return with_digits(bytes_per_s) + "B/s";
}

}  // namespace anabranch
