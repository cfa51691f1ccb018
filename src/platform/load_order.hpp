// Links in the order of what they carry in an optimum of many trees.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "platform/heuristic.hpp"

namespace anabranch::platform {

enum class Load : std::uint8_t { least_first, most_first };

// Of equal loads the slower link comes first where the least does, the faster one where the most
// does; of those that are alike in both the lower one.
inline std::vector<std::int32_t> links_by_load(const TreeRequest& request, Load first) {
  const double sign = first == Load::least_first ? 1 : -1;
  const auto value = [&](std::int32_t link) {
    return std::pair(sign * request.load[static_cast<std::size_t>(link)],
                     -sign * request.platform.link(link).time_s);
  };
  std::vector<std::int32_t> order(request.platform.link_count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return value(a) < value(b); });
  return order;
}

}  // namespace anabranch::platform
