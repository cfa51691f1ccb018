#include "select/price.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "algorithms/hierarchy.hpp"
#include "algorithms/segments.hpp"

namespace anabranch {
namespace {

const Algorithm* algorithm_called(Collective collective, std::string_view name) {
  return find_algorithm(std::string(name_of(collective)) + "/" + std::string(name));
}

bool share_nodes(const Problem& problem) {
  return problem.nodes.count > 1 && problem.nodes.largest > 1;
}

// The pick of a policy between the leaders of nodes, and binomial trees within them.
std::optional<Choice> between_leaders(const Algorithm& policy, const Problem& problem) {
  const Algorithm* by_nodes = algorithm_called(policy.collective, "hierarchy");
  if (by_nodes == nullptr || !share_nodes(problem)) return std::nullopt;
  const Choice pick = resolve({&policy, {}}, between_nodes(problem, 1));
  if (!pick.algorithm->can_be_component(policy.collective)) return std::nullopt;
  Choice choice = with_defaults(*by_nodes, problem);
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    const Parameter& parameter = by_nodes->parameters[i];
    if (parameter.name == "between") choice.values[i] = index_of(*pick.algorithm);
    if (parameter.name == "leaders") choice.values[i] = 1;
  }
  return choice;
}

void take_less(std::optional<double>& price_s_so_far, const Choice& choice,
               const Problem& problem) {
  if (choice.algorithm->cost_s == nullptr || refusal(choice, problem)) return;
  const double price = price_s(choice, problem);
  price_s_so_far = std::min(price_s_so_far.value_or(price), price);
}

Problem seen_by(const Algorithm& algorithm, const Problem& problem) {
  const bool sees_nodes = algorithm.needs_nodes || algorithm.may_use_places;
  return sees_nodes ? with_handshakes(problem) : blind_to_nodes(algorithm, problem);
}

// How many ranks of a node send to others at once, on average.
double at_ports(const Algorithm& algorithm, const Problem& problem) {
  if (algorithm.uses_ports_in_turn) return 1;
  const double all = problem.nodes.largest;
  if (!problem.nodes.in_blocks) return all;
  if (algorithm.uses_ports_in_turn_in_blocks) return 1;
  return algorithm.share_between_nodes ? all * algorithm.share_between_nodes(problem) : all;
}

// Algorithms by nodes are the others again where each rank has a node of its own.
std::optional<Choice> considered(const Algorithm& algorithm, const Problem& problem) {
  if (algorithm.needs_nodes) {
    if (!share_nodes(problem)) return std::nullopt;
    return with_defaults(algorithm, problem);
  }
  if (algorithm.needs_plan && problem.planned.slice_bytes == 0) return std::nullopt;
  return with_defaults(algorithm, seen_by(algorithm, problem));
}

// Of the algorithm by itself.
double own_price_s(const Choice& choice, const Problem& problem) {
  return choice.algorithm->cost_s(seen_by(*choice.algorithm, problem), choice.values);
}

// All but native, each by itself.
std::vector<Candidate> priced_alone(Collective collective, const Problem& problem) {
  const Problem by_nodes = with_handshakes(problem);
  auto candidates = candidates_for(collective, problem, [&](const Algorithm& algorithm) {
    return considered(algorithm, by_nodes);
  });
  for (Candidate& candidate : candidates) {
    if (candidate.predicted_s) candidate.predicted_s = own_price_s(candidate.choice, by_nodes);
  }
  return candidates;
}

// Of a protocol: it begins as a schedule, in segments that may happen to fit a little better than
// the schedule's.
double least_price_s(std::span<const Candidate> candidates) {
  const Candidate* schedule = cheapest_of(candidates);
  return schedule == nullptr ? 0 : *schedule->predicted_s;
}

}  // namespace

Problem blind_to_nodes(const Algorithm& algorithm, const Problem& problem) {
  Problem blind = with_handshakes(problem);
  Network& network = blind.network;
  if (problem.nodes.count == 1) {
    network.latency_s = network.latency_within_nodes_s;
    network.time_per_byte_s = network.time_per_byte_within_nodes_s;
    network.handshake_s = 0;
  } else if (share_nodes(problem)) {
    network.latency_s = std::max(network.latency_s, network.latency_within_nodes_s);
    network.time_per_byte_s =
        std::max(network.turns_at_ports(at_ports(algorithm, problem)) * network.time_per_byte_s,
                 network.time_per_byte_within_nodes_s);
  }
  return blind;
}

double price_s(const Choice& choice, const Problem& problem) {
  const double own_s = own_price_s(choice, problem);
  if (!choice.algorithm->is_protocol()) return own_s;
  return std::max(own_s, least_price_s(priced_alone(choice.algorithm->collective, problem)));
}

std::optional<double> native_price_s(Collective collective, const Problem& problem) {
  std::optional<double> least_s;
  if (const Algorithm* policy = algorithm_called(collective, problem.native_policy)) {
    take_less(least_s, resolve({policy, {}}, problem), problem);
    if (least_s) return least_s;
  }
  for (const Algorithm* policy : all_algorithms()) {
    if (policy->collective != collective || !policy->is_policy()) continue;
    take_less(least_s, resolve({policy, {}}, problem), problem);
    if (const auto choice = between_leaders(*policy, problem)) take_less(least_s, *choice, problem);
  }
  return least_s;
}

std::vector<Candidate> priced_candidates(Collective collective, const Problem& problem) {
  auto candidates = priced_alone(collective, problem);
  const double least_s = least_price_s(candidates);
  for (Candidate& candidate : candidates) {
    if (!candidate.choice.algorithm->is_protocol() || !candidate.predicted_s) continue;
    candidate.predicted_s = std::max(*candidate.predicted_s, least_s);
  }
  // Last, so that of equals another one is the cheapest.
  candidates.push_back({{algorithm_called(collective, "native"), {}},
                        native_price_s(collective, with_handshakes(problem))});
  return candidates;
}

}  // namespace anabranch
