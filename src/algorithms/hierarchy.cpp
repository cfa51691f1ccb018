#include "algorithms/hierarchy.hpp"

#include <algorithm>
#include <mutex>
#include <numbers>
#include <optional>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "algorithms/candidates.hpp"
#include "algorithms/composition.hpp"
#include "algorithms/situation.hpp"

namespace anabranch {

std::shared_ptr<const Nodes::Known> Nodes::find(std::span<const std::int64_t> node_of_rank) {
  auto found = std::make_shared<Known>();
  std::unordered_map<std::int64_t, std::int32_t> numbers;
  found->node_of_rank.reserve(node_of_rank.size());
  for (const std::int64_t name : node_of_rank) {
    const auto next = static_cast<std::int32_t>(found->members.size());
    const std::int32_t node = numbers.try_emplace(name, next).first->second;
    if (node == next) found->members.emplace_back();
    const auto rank = static_cast<std::int32_t>(found->node_of_rank.size());
    found->members[static_cast<std::size_t>(node)].push_back(rank);
    found->node_of_rank.push_back(node);
  }
  std::set<std::int32_t> sizes;
  for (const auto& members : found->members | std::views::drop(1)) {
    sizes.insert(static_cast<std::int32_t>(members.size()));
  }
  found->other_sizes.assign(sizes.begin(), sizes.end());
  return found;
}

Nodes::Nodes(std::span<const std::int64_t> node_of_rank) : known_(find(node_of_rank)) {}

Nodes::Nodes(const Group& group) {
  struct Last {
    std::mutex mutex;
    std::pair<Places::Fingerprint, std::int32_t> key;
    std::shared_ptr<const Known> known;
  };
  // Never destroyed: a program may still call while its statics go.
  static Last& last = *new Last;
  const std::pair key(group.known_places().fingerprint(), group.root);
  const std::lock_guard lock(last.mutex);
  if (last.known == nullptr || last.key != key) {
    last.known = find(group.nodes_from_root());
    last.key = key;
  }
  known_ = last.known;
}

std::int32_t Nodes::largest() const {
  std::int32_t most = 0;
  for (std::int32_t node = 0; node < count(); ++node) most = std::max(most, size(node));
  return most;
}

std::vector<std::int32_t> Nodes::led_by(std::int32_t node, std::int32_t leader) const {
  std::vector<std::int32_t> group(members(node).begin(), members(node).end());
  std::ranges::rotate(group, group.begin() + leader % size(node));
  return group;
}

std::vector<std::int32_t> Nodes::leaders(std::int32_t leader) const {
  std::vector<std::int32_t> group;
  for (std::int32_t node = 0; node < count(); ++node) group.push_back(this->leader(node, leader));
  return group;
}

void Hierarchy::count_rounds(const Algorithm& algorithm, std::int32_t ranks, std::int32_t blocks) {
  const auto [found, is_new] = known_rounds_.try_emplace({&algorithm, ranks, blocks}, 0);
  if (is_new) found->second = Component{algorithm}.generate({.ranks = ranks}, blocks).rounds;
  phase_rounds_ = std::max(phase_rounds_, found->second);
}

void Hierarchy::add(const Algorithm& algorithm, std::span<const std::int32_t> members,
                    std::int32_t blocks, const Relocation& relocation) {
  if (blocks == 0 || members.empty()) return;
  const auto size = static_cast<std::int32_t>(members.size());
  count_rounds(algorithm, size, blocks);
  const auto own = std::ranges::find(members, rank_);
  if (own == members.end()) return;
  const auto place = static_cast<std::int32_t>(own - members.begin());
  builder_.append(Component{algorithm}.generate({.ranks = size, .rank = place}, blocks),
                  first_round_, members, relocation);
}

void Hierarchy::add_within(const Algorithm& algorithm, const Nodes& nodes, std::int32_t first_node,
                           std::int32_t leader, std::int32_t blocks, const Relocation& relocation) {
  add(algorithm, own_node(algorithm, nodes, first_node, leader, blocks), blocks, relocation);
}

std::vector<std::int32_t> Hierarchy::own_node(const Algorithm& algorithm, const Nodes& nodes,
                                              std::int32_t first_node, std::int32_t leader,
                                              std::int32_t blocks) {
  if (blocks == 0) return {};
  for (const std::int32_t size : nodes.other_sizes()) count_rounds(algorithm, size, blocks);
  if (first_node == 0) count_rounds(algorithm, nodes.size(0), blocks);
  const std::int32_t own = nodes.of(rank_);
  if (own < first_node) return {};
  return nodes.led_by(own, leader);
}

void Hierarchy::add_message(std::int32_t from, std::int32_t to, BlockSet blocks) {
  if (from == to || blocks.count == 0) return;
  phase_rounds_ = std::max(phase_rounds_, 1);
  if (rank_ == from) builder_.send(first_round_, to, blocks);
  if (rank_ == to) builder_.receive(first_round_, from, blocks);
}

void Hierarchy::next_phase() {
  first_round_ += phase_rounds_;
  phase_rounds_ = 0;
}

const Algorithm& component_at(std::int64_t value, Collective collective) {
  const auto all = all_algorithms();
  if (value >= 0 && value < std::ssize(all)) {
    const Algorithm& algorithm = *all[static_cast<std::size_t>(value)];
    if (algorithm.can_be_component(collective)) return algorithm;
  }
  throw std::invalid_argument("algorithm " + std::to_string(value) + " cannot be a component of " +
                              std::string(name_of(collective)));
}

namespace {

// The candidate that is taken for a component; shares of leaders, and those of nodes, may differ by
// a block.
std::int64_t best_component(Collective collective, Problem problem, const Situation& situation,
                            bool may_prefer) {
  problem.equal_blocks = false;
  const auto candidates = candidates_for(collective, problem, [&](const Algorithm& algorithm) {
    return algorithm.serves_any_group() ? std::optional(Component{algorithm}.choice_for(problem))
                                        : std::nullopt;
  });
  const Candidate* best =
      may_prefer ? tuned_default(candidates, situation).candidate : cheapest_of(candidates);
  if (best == nullptr) throw std::logic_error("no algorithm can be a component by nodes");
  return index_of(*best->choice.algorithm);
}

bool sends_parts_by_themselves(Collective collective, const Problem& problem) {
  const TunedValue& worth = tuned::parts_worth_a_message;
  return !has_parts(collective) || problem.part_bytes() >= worth.value;
}

}  // namespace

std::int64_t best_between_nodes(Collective collective, const Problem& problem) {
  const Problem between = between_nodes(problem, 1);
  return best_component(collective, between, situation_of(collective, between),
                        sends_parts_by_themselves(collective, problem));
}

std::int64_t best_within_node(Collective collective, const Problem& problem) {
  const Problem within = within_node(problem);
  Situation situation = situation_of(collective, within);
  situation.is_within_node = true;
  return best_component(collective, in_memory(within), situation, true);
}

Problem in_memory(Problem problem) {
  problem.network.latency_s = problem.network.latency_within_nodes_s;
  problem.network.time_per_byte_s = problem.network.time_per_byte_within_nodes_s;
  problem.network.handshake_s = 0;
  problem.longest_segment_bytes = 0;
  return problem;
}

Problem between_nodes(const Problem& problem, std::int64_t leaders) {
  Problem between = problem;
  between.ranks = std::max(problem.nodes.count, 1);
  between.size_bytes = (problem.size_bytes + leaders - 1) / leaders;
  between.nodes = {between.ranks, 1};
  between.planned = {};
  return between;
}

std::int32_t hierarchy_blocks(const Problem& problem, std::span<const Algorithm* const> within,
                              const Algorithm& between, std::int64_t leaders) {
  std::int64_t most = Component{between}.blocks(between_nodes(problem, leaders));
  for (const Algorithm* algorithm : within) {
    most = std::max<std::int64_t>(most, Component{*algorithm}.blocks(within_node(problem)));
  }
  return static_cast<std::int32_t>(std::min<std::int64_t>(most * leaders, maximum_blocks));
}

namespace {

// All that the memory of a node carries for a component, one byte after the other.
double memory_time_s(const Algorithm& algorithm, const Problem& problem) {
  const Collective collective = algorithm.collective;
  const bool is_for_all = collective == Collective::bcast || collective == Collective::reduce ||
                          collective == Collective::allgather;
  if (problem.nodes.count != 1 || !is_for_all) return 0;
  const auto bytes = (problem.ranks - 1) * static_cast<double>(problem.size_bytes);
  return bytes * problem.network.memory_time_per_byte_s;
}

// Of the time of ranks that are busy, where each serves several others in the order in which these
// ask, and all wait in one line: 2 - sqrt(2) (Karol, Hluchyj and Morgan, 1987).
constexpr double busy_with_one_line = 2 - std::numbers::sqrt2;

// How many shares have to wait for each other: within a node all of them do.
double shares_in_turn(const Problem& share, std::int64_t leaders) {
  const auto all = static_cast<double>(leaders);
  return share.nodes.count == 1 ? all : share.network.turns_at_ports(all);
}

// Where latencies of shares pass at the same time: all take their rounds together.
double overlapping_shares_time_s(const Component& component, const Problem& share,
                                 std::int32_t blocks, std::int64_t leaders) {
  Problem together = share;
  together.network.time_per_byte_s *= shares_in_turn(share, leaders);
  const bool is_within_node = share.nodes.count == 1;
  const bool all_lead = is_within_node && leaders >= share.ranks;
  // A rank has another place in the tree of each leader, and no round is the same for all trees.
  const bool is_out_of_step = is_within_node && leaders > 1 && !all_lead;
  if (is_out_of_step) together.network.time_per_byte_s /= busy_with_one_line;
  double together_s = component.cost_in_blocks_s(together, blocks);
  if (!is_within_node) return together_s;
  // Each tree has a message to all but one rank, and a rank has its part of those of all trees.
  const double messages = static_cast<double>(leaders) * (share.ranks - 1) / share.ranks;
  together_s = std::max(together_s, messages * share.network.gap_s);
  if (!all_lead) return together_s;
  // Each rank has every place of a tree once, and sends as many messages as a tree has in all.
  const double message_s = std::max(
      share.network.gap_s, share.network.time_per_byte_s * static_cast<double>(share.size_bytes));
  return std::min(together_s, component.cost_in_blocks_s(share, blocks) +
                                  static_cast<double>(share.ranks - 1) * message_s);
}

}  // namespace

double shares_time_s(const Algorithm& algorithm, const Problem& problem, std::int32_t blocks,
                     std::int64_t leaders) {
  Problem share = problem;
  share.size_bytes = (problem.size_bytes + leaders - 1) / leaders;
  const auto of_share = static_cast<std::int32_t>((blocks + leaders - 1) / leaders);
  const Component component{algorithm};
  const double time_s =
      problem.network.gap_s > 0
          ? overlapping_shares_time_s(component, share, of_share, leaders)
          : shares_in_turn(share, leaders) * component.cost_in_blocks_s(share, of_share);
  return std::max(time_s, memory_time_s(algorithm, problem));
}

Problem within_node(const Problem& problem) {
  Problem within = problem;
  within.ranks = std::max(problem.nodes.largest, 1);
  within.nodes = {1, within.ranks};
  within.planned = {};
  return within;
}

}  // namespace anabranch
