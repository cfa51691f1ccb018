// The command line of the measuring program. `anabranch bench` writes it; docs/guides/measuring.md
// explains it.
#pragma once

#include <getopt.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace anabranch::bench {

constexpr const char* by_default = "auto";  // an algorithm that may be measured

enum class ClockMode : std::uint8_t {
  automatic,  // shared where all ranks run under one kernel, else estimated
  shared,     // all ranks read the same clock
  estimated,  // offsets by shortest round trips
};

struct Options {
  std::string output;                   // events, one JSON object a line
  std::string function = "bcast";       // see function.hpp
  std::vector<std::int64_t> sizes;      // bytes
  std::vector<std::string> algorithms;  // values of the setting of the collective
  std::string patterns;                 // file of arrival patterns, see points.hpp; or none
  int root = 0;
  int warmup = 1;
  int calls = 1;           // in a row, of which a sample is made
  int learning_calls = 0;  // of the default, before it is measured: see select/learning.hpp
  double learning_s = 20;  // for them, of each size
  int traffic_calls = 0;   // in a row, whose bytes on the wire are counted; 0: none are
  int minimum_repetitions = 6;
  int maximum_repetitions = 50;
  int extended_repetitions = 0;  // this and the next ones: see enough.hpp
  double precision = 0.03;
  double tolerated_precision = 0.15;
  double maximum_s = 30;  // for one size
  double lead_s = 0.03;   // between the agreement on a start and the start
  ClockMode clock = ClockMode::automatic;
  bool parts_grow = false;  // that of rank r is as long as r + 1 of rank 0's, in place of all alike
  // For tests: a rank whose clock is shifted and drifts, a call in which a rank's payload is
  // damaged.
  int skewed_rank = -1;
  double skew_s = 0;
  double skew_drift = 0;
  int damaged_rank = -1;
  std::int64_t damaged_call = -1;
};

namespace detail {

inline double number(const std::string& name, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') {
    throw std::invalid_argument("--" + name + ": '" + text + "' is not a number");
  }
  return value;
}

inline std::vector<double> numbers(const std::string& name, const std::string& text) {
  std::vector<double> found;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    found.push_back(number(name, text.substr(start, end - start)));
    start = end + 1;
  }
  return found;
}

inline ClockMode clock_mode(const std::string& text) {
  if (text == "auto") return ClockMode::automatic;
  if (text == "shared") return ClockMode::shared;
  if (text == "estimated") return ClockMode::estimated;
  throw std::invalid_argument("--clock: give auto, shared or estimated, not '" + text + "'");
}

// Whether parts grow with their rank.
inline bool parts_grow(const std::string& text) {
  if (text != "equal" && text != "growing") {
    throw std::invalid_argument("--parts: give equal or growing, not '" + text + "'");
  }
  return text == "growing";
}

inline void set(Options& options, const std::string& name, const std::string& value) {
  const auto integer = [&] { return static_cast<int>(number(name, value)); };
  if (name == "output") options.output = value;
  if (name == "algorithm") options.algorithms.push_back(value);
  if (name == "patterns") options.patterns = value;
  if (name == "root") options.root = integer();
  if (name == "warmup") options.warmup = integer();
  if (name == "learning-calls") options.learning_calls = integer();
  if (name == "learning-seconds") options.learning_s = number(name, value);
  if (name == "minimum-repetitions") options.minimum_repetitions = integer();
  if (name == "maximum-repetitions") options.maximum_repetitions = integer();
  if (name == "extended-repetitions") options.extended_repetitions = integer();
  if (name == "tolerated-precision") options.tolerated_precision = number(name, value);
  if (name == "precision") options.precision = number(name, value);
  if (name == "maximum-seconds") options.maximum_s = number(name, value);
  if (name == "lead") options.lead_s = number(name, value);
  if (name == "clock") options.clock = clock_mode(value);
  if (name == "parts") options.parts_grow = parts_grow(value);
  if (name == "function") options.function = value;
  if (name == "calls") options.calls = integer();
  if (name == "traffic") options.traffic_calls = integer();
  if (name == "sizes") {
    for (const double size : numbers(name, value)) {
      options.sizes.push_back(static_cast<std::int64_t>(size));
    }
  }
  if (name == "skew") {  // RANK,SECONDS,DRIFT
    const auto values = numbers(name, value);
    options.skewed_rank = static_cast<int>(values.at(0));
    options.skew_s = values.at(1);
    options.skew_drift = values.at(2);
  }
  if (name == "damage") {  // RANK,CALL
    const auto values = numbers(name, value);
    options.damaged_rank = static_cast<int>(values.at(0));
    options.damaged_call = static_cast<std::int64_t>(values.at(1));
  }
}

}  // namespace detail

// Throws std::invalid_argument with one line; `options` then holds what was read before.
inline void parse_options(int argc, char** argv, Options& options) {
  static const char* const names[] = {"output",
                                      "function",
                                      "sizes",
                                      "algorithm",
                                      "patterns",
                                      "root",
                                      "warmup",
                                      "calls",
                                      "traffic",
                                      "learning-calls",
                                      "learning-seconds",
                                      "minimum-repetitions",
                                      "maximum-repetitions",
                                      "extended-repetitions",
                                      "precision",
                                      "tolerated-precision",
                                      "maximum-seconds",
                                      "lead",
                                      "clock",
                                      "parts",
                                      "skew",
                                      "damage"};
  std::vector<option> known;
  for (const char* name : names) known.push_back({name, required_argument, nullptr, 1});
  known.push_back({nullptr, 0, nullptr, 0});
  opterr = 0;
  int index = 0;
  for (int found = 0; (found = getopt_long(argc, argv, "", known.data(), &index)) != -1;) {
    if (found != 1) throw std::invalid_argument("unknown option, or one without its value");
    detail::set(options, names[index], optarg);
  }
  if (optind < argc) throw std::invalid_argument(std::string("unexpected '") + argv[optind] + "'");
  if (options.output.empty()) throw std::invalid_argument("--output FILE is missing");
  if (options.sizes.empty()) throw std::invalid_argument("--sizes BYTES,... is missing");
  if (options.algorithms.empty()) options.algorithms.emplace_back("native");
}

}  // namespace anabranch::bench
