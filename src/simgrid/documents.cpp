#include "simgrid/documents.hpp"

#include <map>
#include <stdexcept>

#include "collectives/collective.hpp"

namespace anabranch {
namespace {

using nlohmann::json;

Cluster::Shape shape_of(const std::string& name) {
  static const std::map<std::string, Cluster::Shape> shapes{
      {"crossbar", Cluster::Shape::crossbar},
      {"fat_tree", Cluster::Shape::fat_tree},
      {"dragonfly", Cluster::Shape::dragonfly},
      {"torus", Cluster::Shape::torus},
      {"routes", Cluster::Shape::routes}};
  const auto found = shapes.find(name);
  if (found == shapes.end()) throw std::invalid_argument("no shape of a cluster: " + name);
  return found->second;
}

Network network_of(const json& document) {
  Network network;
  network.latency_s = document.at("latency_s");
  network.time_per_byte_s = document.at("time_per_byte_s");
  network.overhead_s = document.at("overhead_s");
  network.eager_limit_bytes = document.at("eager_limit_bytes");
  network.handshake_s = document.at("handshake_s");
  network.latency_within_nodes_s = document.at("latency_within_nodes_s");
  network.time_per_byte_within_nodes_s = document.at("time_per_byte_within_nodes_s");
  return network;
}

}  // namespace

Cluster cluster_of(const json& document) {
  Cluster cluster;
  cluster.shape = shape_of(document.at("shape"));
  document.at("extent").get_to(cluster.extent);
  cluster.port_rate = document.value("port_rate", 0.0);
  cluster.memory_rate = document.at("memory_rate");
  cluster.global_rate = document.value("global_rate", 0.0);
  cluster.local_rate = document.value("local_rate", 0.0);
  cluster.link_rates = document.value("link_rates", std::vector<double>{});
  cluster.latencies_s = document.value("latencies_s", std::vector<double>{});
  cluster.resolution_s = document.value("resolution_s", 0.0);
  for (const json& route : document.value("routes", json::array())) {
    cluster.routes.push_back({route.at(0), route.at(1), route.at(2)});
  }
  return cluster;
}

Cell cell_of(const json& document) {
  Cell cell;
  const std::string collective = document.at("collective");
  const auto named = collective_named(collective);
  if (!named) throw std::invalid_argument("no collective: " + collective);
  cell.collective = *named;
  cell.algorithm = document.at("algorithm");
  document.at("node_of_rank").get_to(cell.node_of_rank);
  cell.arrival_s = document.value("arrival_s", std::vector<double>{});
  if (document.contains("eager_bytes")) cell.eager_bytes = document["eager_bytes"];
  cell.problem.ranks = static_cast<std::int32_t>(cell.node_of_rank.size());
  cell.problem.size_bytes = document.at("size_bytes");
  cell.problem.network = network_of(document.at("network"));
  return cell;
}

json document_of(const Outcome& outcome, std::optional<std::int64_t> global_bytes) {
  json document{{"exit_s", outcome.exit_s}};
  if (global_bytes) document["global_bytes"] = *global_bytes;
  return document;
}

}  // namespace anabranch
