#include "model/resources.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace anabranch {

Resources::Resources(std::int32_t ranks, const Machine& machine)
    : nodes_(static_cast<std::size_t>(ranks)),
      is_memory_limited_(machine.memory_messages > 0),
      has_flows_(machine.flows != nullptr) {
  std::iota(nodes_.begin(), nodes_.end(), 0);
  std::int32_t node_count = ranks;
  if (!machine.node_of_rank.empty()) {
    std::map<std::int64_t, std::int32_t> known;
    for (std::size_t rank = 0; rank < nodes_.size(); ++rank) {
      const auto next = static_cast<std::int32_t>(known.size());
      nodes_[rank] = known.try_emplace(machine.node_of_rank[rank], next).first->second;
    }
    node_count = static_cast<std::int32_t>(known.size());
  }
  if (!has_flows_) first_port_ = add(2 * node_count, machine.ports);
  if (machine.node_of_rank.empty()) return;
  first_rank_ = add(2 * ranks, 1);
  if (is_memory_limited_) first_memory_ = add(node_count, machine.memory_messages);
}

Resources::Index Resources::add(std::int32_t number, std::int32_t capacity) {
  const auto first = static_cast<Index>(resources_.size());
  resources_.resize(resources_.size() + static_cast<std::size_t>(number), {capacity});
  return first;
}

Resources::Route Resources::route(std::int32_t src, std::int32_t dst) const {
  Route route;
  const std::int32_t node = node_of(src);
  if (node != node_of(dst)) {
    if (has_flows_) return route;
    route.add(sending(first_port_, node));
    route.add(receiving(first_port_, node_of(dst)));
    return route;
  }
  route.add(sending(first_rank_, src));
  route.add(receiving(first_rank_, dst));
  if (is_memory_limited_) route.add(first_memory_ + static_cast<Index>(node));
  return route;
}

bool Resources::are_free(const Route& route) const {
  return std::ranges::all_of(route.all(), [this](Index index) {
    return resources_[index].used < resources_[index].capacity;
  });
}

void Resources::occupy(const Route& route) {
  for (const Index index : route.all()) ++resources_[index].used;
}

void Resources::release(const Route& route) {
  for (const Index index : route.all()) --resources_[index].used;
}

}  // namespace anabranch
