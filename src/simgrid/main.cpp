// Simulates collectives on one cluster: the cluster on the first line of the standard input, a
// collective on each line after it, as in documents.hpp; answers each with a line. The argument is
// the process that has started it, with which it ends; without one it goes on.
#include <sys/prctl.h>
#include <unistd.h>
#include <xbt/log.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "select/settings.hpp"
#include "simgrid/documents.hpp"
#include "simgrid/network.hpp"
#include "simgrid/simgrid_flows.hpp"
#include "simgrid/zones.hpp"

namespace anabranch {
namespace {

namespace s4u = simgrid::s4u;
using nlohmann::json;

// Of each pair of ranks; what bytes take is the flows' affair.
std::vector<Link> links_of(const Cluster& cluster, const Cell& cell) {
  std::vector<Link> links;
  if (cluster.latencies_s.empty()) return links;
  const auto nodes = static_cast<std::size_t>(cluster.nodes());
  for (const std::int32_t src : cell.node_of_rank) {
    for (const std::int32_t dst : cell.node_of_rank) {
      const std::size_t pair =
          static_cast<std::size_t>(src) * nodes + static_cast<std::size_t>(dst);
      links.push_back({src == dst ? cell.problem.network.latency_within_nodes_s
                                  : cluster.latencies_s.at(pair)});
    }
  }
  return links;
}

Machine machine_of(const Cluster& cluster, const Cell& cell, Flows& flows) {
  const Network& network = cell.problem.network;
  return {
      .link = {network.latency_s, network.time_per_byte_s},
      .links = links_of(cluster, cell),
      .delivery = cell.eager_bytes ? Delivery::synchronous : Delivery::buffered,
      .eager_bytes = cell.eager_bytes.value_or(0),
      .node_of_rank = {cell.node_of_rank.begin(), cell.node_of_rank.end()},
      .link_within_nodes = {network.latency_within_nodes_s, network.time_per_byte_within_nodes_s},
      .overhead_s = network.overhead_s,
      .flows = &flows,
      .resolution_s = cluster.resolution_s};
}

json simulate_cell(Cell& cell, const Cluster& cluster, const std::vector<s4u::Host*>& hosts) {
  std::vector<s4u::Host*> host_of_rank;
  std::vector<std::int32_t> group_of_rank;
  for (const std::int32_t node : cell.node_of_rank) {
    host_of_rank.push_back(hosts.at(static_cast<std::size_t>(node)));
    group_of_rank.push_back(cluster.group_of(node));
  }
  SimgridFlows flows(std::move(host_of_rank), std::move(group_of_rank),
                     1 / cell.problem.network.time_per_byte_within_nodes_s);
  const Machine machine = machine_of(cluster, cell, flows);
  Circumstances circumstances{.arrival_s = cell.arrival_s};
  circumstances.places = std::make_shared<const Places>(machine.node_of_rank);
  cell.problem.nodes = node_counts(*circumstances.places);
  const Choice choice = parse_selection(cell.collective, cell.algorithm).at(cell.problem);
  const Outcome outcome = simulate(choice, cell.problem, machine, circumstances);
  if (!cluster.has_groups()) return document_of(outcome, std::nullopt);
  return document_of(outcome, flows.global_bytes());
}

void serve(const Cluster& cluster, const std::vector<s4u::Host*>& hosts) {
  for (std::string line; std::getline(std::cin, line);) {
    json answer;
    try {
      Cell cell = cell_of(json::parse(line));
      answer = simulate_cell(cell, cluster, hosts);
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    std::cout << answer.dump() << std::endl;
  }
}

// Whoever has started it may end without a word: killed, or by a signal that it does not catch.
void end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::raise(SIGKILL);  // it has ended already
}

int run(int argc, char** argv) {
  if (argc > 1) end_with(static_cast<pid_t>(std::stol(argv[1])));
  xbt_log_control_set("root.thres:warning");  // it would tell each setting
  s4u::Engine engine(&argc, argv);
  std::string line;
  std::getline(std::cin, line);
  const Cluster cluster = cluster_of(json::parse(line));
  configure(cluster.resolution_s);
  const std::vector<s4u::Host*> hosts = build(cluster);
  add_actor("simulation", hosts.front(), [&] { serve(cluster, hosts); });
  s4u::Engine::set_config("contexts/stack-size:32");  // KiB, of those that send and receive
  engine.run();
  return 0;
}

}  // namespace
}  // namespace anabranch

int main(int argc, char** argv) {
  try {
    return anabranch::run(argc, argv);
  } catch (const std::exception& error) {
    std::cout << nlohmann::json{{"error", error.what()}}.dump() << std::endl;
    return 1;
  }
}
