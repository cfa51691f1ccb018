// What is measured at one size: without arrival patterns one point, at which all arrive at once;
// with them one point for each kind. `anabranch bench` writes the file that is read here.
#pragma once

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/options.hpp"

namespace anabranch::bench {

// By rank, in units of T; empty: all at once.
using Delays = std::vector<double>;

struct Point {
  int minimum_repetitions = 1;  // of each pattern
  int maximum_repetitions = 1;
  int extended_repetitions = 0;  // see enough.hpp; of patterns there are no more
  std::vector<Delays> patterns;
};

// Lines `point MIN MAX`, each followed by its patterns, `pattern DELAY ...` with a delay for each
// rank. Throws std::invalid_argument with one line.
inline std::vector<Point> read_points(const std::string& path, int ranks) {
  std::ifstream file(path);
  std::vector<Point> points;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    bool is_right = false;
    if (word == "point") {
      Point point;
      words >> point.minimum_repetitions >> point.maximum_repetitions;
      is_right = !words.fail() && point.minimum_repetitions > 0;
      points.push_back(point);
    } else if (word == "pattern" && !points.empty()) {
      Delays delays;
      is_right = true;
      for (double delay = 0; words >> delay; delays.push_back(delay)) {
        is_right = is_right && std::isfinite(delay) && delay >= 0;
      }
      is_right = is_right && words.eof() && static_cast<int>(delays.size()) == ranks;
      points.back().patterns.push_back(delays);
    }
    if (!is_right) {
      throw std::invalid_argument("--patterns: line " + std::to_string(number) + " of " + path +
                                  " is no pattern of " + std::to_string(ranks) + " ranks");
    }
  }
  for (const Point& point : points) {
    if (point.patterns.empty()) throw std::invalid_argument("--patterns: a point without patterns");
  }
  if (points.empty()) throw std::invalid_argument("--patterns: cannot read " + path);
  return points;
}

inline std::vector<Point> points_of(const Options& options, int ranks) {
  if (!options.patterns.empty()) return read_points(options.patterns, ranks);
  return {{options.minimum_repetitions,
           options.maximum_repetitions,
           options.extended_repetitions,
           {Delays()}}};
}

}  // namespace anabranch::bench
