#include "algorithms/group.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "collectives/relative_rank.hpp"
#include "plan/rank_trees.hpp"

namespace anabranch {
namespace {

// Two mixers of different constants: that two unlike inputs meet in both is out of the question.
class Mixer {
 public:
  void add(std::uint64_t value) {
    for (std::size_t lane = 0; lane < state_.size(); ++lane) {
      std::uint64_t mixed = (state_[lane] + value) * multipliers[lane];
      mixed = (mixed ^ (mixed >> 31)) * 0xd6e8feb86659fd93U;
      state_[lane] = std::rotl(mixed ^ (mixed >> 29), 17) + value;
    }
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  const Places::Fingerprint& state() const { return state_; }

 private:
  static constexpr std::array<std::uint64_t, 2> multipliers = {0x9e3779b97f4a7c15U,
                                                               0xc2b2ae3d27d4eb4fU};
  Places::Fingerprint state_ = {0x243f6a8885a308d3U, 0x13198a2e03707344U};
};

void add_plan(Mixer& mixer, const Plan& plan) {
  mixer.add(plan.model);
  mixer.add(static_cast<std::uint64_t>(plan.slice_bytes));
  mixer.add(plan.serial ? 1 : 0);
  mixer.add(static_cast<std::uint64_t>(plan.root));
  for (const std::string& node : plan.nodes) mixer.add(node);
  for (const Plan::Tree& tree : plan.trees) {
    for (const auto* numbers : {&tree.parent, &tree.position}) {
      for (const std::int32_t number : *numbers) mixer.add(static_cast<std::uint64_t>(number));
    }
  }
  mixer.add(plan.order.size());
  for (const std::int32_t tree : plan.order) mixer.add(static_cast<std::uint64_t>(tree));
  for (const auto& round : plan.rounds) {
    mixer.add(round.size());
    for (const Plan::Transfer& transfer : round) {
      for (const std::int32_t number : {transfer.place, transfer.target, transfer.lap}) {
        mixer.add(static_cast<std::uint64_t>(number));
      }
    }
  }
}

}  // namespace

Places::Places(std::vector<std::int64_t> node_of_rank, std::shared_ptr<const Plan> plan,
               std::vector<std::int32_t> host_of_rank)
    : node_of_rank_(std::move(node_of_rank)),
      plan_(std::move(plan)),
      host_of_rank_(std::move(host_of_rank)) {
  if (plan_ != nullptr && host_of_rank_.empty()) {
    throw std::invalid_argument("a plan needs the host of each rank");
  }
  Mixer mixer;
  // Nodes are alike if they hold the same ranks, whatever their numbers are.
  std::unordered_map<std::int64_t, std::uint64_t> number_of;
  for (const std::int64_t node : node_of_rank_) {
    mixer.add(number_of.try_emplace(node, number_of.size()).first->second);
  }
  mixer.add(node_of_rank_.size());
  for (const std::int32_t host : host_of_rank_) mixer.add(static_cast<std::uint64_t>(host));
  if (plan_ != nullptr) add_plan(mixer, *plan_);
  fingerprint_ = mixer.state();
}

Places Places::of(std::span<const std::int32_t> ranks) const {
  std::vector<std::int64_t> nodes;
  std::vector<std::int32_t> hosts;
  for (const std::int32_t rank : ranks) {
    const auto place = static_cast<std::size_t>(rank);
    if (!node_of_rank_.empty()) nodes.push_back(node_of_rank_[place]);
    if (plan_ != nullptr) hosts.push_back(host_of_rank_[place]);
  }
  return Places(std::move(nodes), plan_, std::move(hosts));
}

const Places& Group::known_places() const {
  if (places == nullptr || std::ssize(places->node_of_rank()) != ranks) {
    throw std::logic_error("nobody knows which ranks share a node");
  }
  return *places;
}

std::vector<std::int64_t> Group::nodes_from_root() const {
  std::vector<std::int64_t> nodes = known_places().node_of_rank();
  std::ranges::rotate(nodes, nodes.begin() + root);
  return nodes;
}

NodeCounts node_counts(const Places& places) {
  const auto& nodes = places.node_of_rank();
  std::unordered_map<std::int64_t, std::int32_t> ranks_on;
  for (const std::int64_t node : nodes) ++ranks_on[node];
  NodeCounts counts{.count = static_cast<std::int32_t>(ranks_on.size())};
  std::int32_t blocks = nodes.empty() ? 0 : 1;
  for (std::size_t i = 1; i < nodes.size(); ++i) blocks += nodes[i] != nodes[i - 1];
  counts.in_blocks = blocks == counts.count;
  for (const auto& [node, ranks] : ranks_on) counts.largest = std::max(counts.largest, ranks);
  return counts;
}

PlannedTrees planned_trees(const Places& places) {
  const Plan* plan = places.plan();
  if (plan == nullptr) return {};
  const auto& hosts = places.host_of_rank();
  const auto first = std::ranges::find(hosts, plan->root);
  const auto root = static_cast<std::int32_t>(first == hosts.end() ? 0 : first - hosts.begin());
  const double slice_s = plan->period_s / static_cast<double>(plan->order.size());
  const auto laps = static_cast<double>(laps_of(fit(*plan, hosts, root)));
  if (plan->rounds.empty() && plan->order.size() > 1) {
    return {plan->slice_bytes, slice_s, PlannedTrees::lag * laps * plan->period_s};
  }
  // The first slice of a period takes as many more periods; the last one begins as it ends.
  return {plan->slice_bytes, slice_s, (laps + 1) * plan->period_s - slice_s};
}

}  // namespace anabranch
