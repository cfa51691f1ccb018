#include "plan/rounds.hpp"

#include <algorithm>

#include "schedule/in_quotes.hpp"

namespace anabranch {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

std::int32_t sender_of(const Plan& plan, const Plan::Transfer& transfer) {
  return plan.trees[at(plan.order[at(transfer.place)])].parent[at(transfer.target)];
}

bool exists(const Plan& plan, const Plan::Transfer& transfer) {
  constexpr std::int32_t max_laps = 1 << 16;
  return 0 <= transfer.place && at(transfer.place) < plan.order.size() && 0 <= transfer.lap &&
         transfer.lap < max_laps && transfer.target != plan.root;
}

bool is_matching(const Plan& plan, const std::vector<Plan::Transfer>& round) {
  std::vector<std::int32_t> senders;
  std::vector<std::int32_t> receivers;
  for (const Plan::Transfer& transfer : round) {
    senders.push_back(sender_of(plan, transfer));
    receivers.push_back(transfer.target);
  }
  for (auto* ports : {&senders, &receivers}) {
    std::ranges::sort(*ports);
    if (std::ranges::adjacent_find(*ports) != ports->end()) return false;
  }
  return true;
}

}  // namespace

std::vector<std::vector<std::int64_t>> rounds_of_arrival(const Plan& plan) {
  const auto period = static_cast<std::int64_t>(plan.rounds.size());
  std::vector<std::vector<std::int64_t>> arrival(plan.order.size(),
                                                 std::vector<std::int64_t>(plan.nodes.size(), -1));
  for (std::int64_t number = 0; number < period; ++number) {
    for (const Plan::Transfer& transfer : plan.rounds[static_cast<std::size_t>(number)]) {
      arrival[at(transfer.place)][at(transfer.target)] = number + transfer.lap * period;
    }
  }
  return arrival;
}

std::string fault_of_rounds(const Plan& plan) {
  if (plan.rounds.empty()) return "";
  std::size_t transfers = 0;
  for (const auto& round : plan.rounds) {
    for (const Plan::Transfer& transfer : round) {
      if (!exists(plan, transfer)) return "its rounds have a transfer of no slice";
    }
    if (!is_matching(plan, round)) return "a node sends or receives twice in one of its rounds";
    transfers += round.size();
  }
  if (transfers > plan.order.size() * (plan.nodes.size() - 1)) {
    return "its rounds have a transfer twice";
  }
  // Before anything is kept for each of them, which are many more than a short file has room for.
  if (transfers < plan.order.size() * (plan.nodes.size() - 1)) {
    return "in its rounds a node does not get a slice after its parent has it";
  }
  const auto arrival = rounds_of_arrival(plan);
  for (std::size_t place = 0; place < arrival.size(); ++place) {
    const Plan::Tree& tree = plan.trees[at(plan.order[place])];
    for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
      const std::int32_t parent = tree.parent[node];
      if (parent != no_node && arrival[place][node] <= arrival[place][at(parent)]) {
        return "in its rounds " + in_quotes(plan.nodes[node]) + " does not get a slice after " +
               in_quotes(plan.nodes[at(parent)]) + " has it";
      }
    }
  }
  return "";
}

}  // namespace anabranch
