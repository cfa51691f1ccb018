#include "platform/heuristic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace anabranch::platform {

#define ANABRANCH_TREE_HEURISTIC(name) extern const Heuristic name;
#include "platform/heuristics/list.inc"
#undef ANABRANCH_TREE_HEURISTIC

namespace {

constexpr auto unsorted = std::to_array<const Heuristic*>({
#define ANABRANCH_TREE_HEURISTIC(name) &name,
#include "platform/heuristics/list.inc"
#undef ANABRANCH_TREE_HEURISTIC
});

const Heuristic& named(std::string_view id) {
  std::string valid;
  for (const Heuristic* heuristic : all_heuristics()) {
    if (heuristic->id == id) return *heuristic;
    valid += valid.empty() ? "" : ", ";
    valid += heuristic->id;
  }
  throw std::invalid_argument("there is no heuristic '" + std::string(id) + "': valid are " +
                              valid);
}

void check_load(const Heuristic& heuristic, const TreeRequest& request) {
  if (!heuristic.needs_load) return;
  if (request.load.size() != request.platform.link_count()) {
    throw std::invalid_argument(std::string(heuristic.id) + " needs the load of " +
                                std::to_string(request.platform.link_count()) +
                                " links, of which " + std::to_string(request.load.size()) +
                                " are given: solve the linear program first");
  }
  for (const double slices : request.load) {
    if (!std::isfinite(slices)) throw std::invalid_argument("a link's load is not finite");
  }
}

}  // namespace

std::span<const Heuristic* const> all_heuristics() {
  static const auto sorted = [] {
    auto rows = unsorted;
    std::sort(rows.begin(), rows.end(),
              [](const Heuristic* a, const Heuristic* b) { return a->id < b->id; });
    return rows;
  }();
  return sorted;
}

Routing build_routing(std::string_view id, const TreeRequest& request) {
  const Heuristic& heuristic = named(id);
  check_reachable(request.platform, request.root);
  check_load(heuristic, request);
  return heuristic.build(request);
}

}  // namespace anabranch::platform
