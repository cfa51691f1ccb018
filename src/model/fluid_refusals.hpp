// How the fluid simulator refuses what a policy must not do: one line that names the process and
// the moment.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

#include "model/fluid.hpp"

namespace anabranch::fluid {

inline std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

inline std::string process(Rank rank) { return "process " + std::to_string(rank); }

[[noreturn]] inline void refuse(const State& state, const std::string& what) {
  throw std::invalid_argument(what + " (at " + shown(state.now()) + " T)");
}

}  // namespace anabranch::fluid
