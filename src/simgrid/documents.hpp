// What the program reads and writes: one JSON document a line.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "model/simulation.hpp"
#include "simgrid/cluster.hpp"

namespace anabranch {

struct Cell {
  Collective collective = Collective::bcast;
  std::string algorithm;
  Problem problem;
  std::vector<std::int32_t> node_of_rank;   // relative to the root
  std::vector<double> arrival_s;            // the same; empty: all at 0
  std::optional<std::int64_t> eager_bytes;  // longer messages wait for their receiver
};

// Throw std::invalid_argument or nlohmann::json::exception where a document is none.
Cluster cluster_of(const nlohmann::json& document);
Cell cell_of(const nlohmann::json& document);

// global_bytes: of messages between groups, where the cluster has groups.
nlohmann::json document_of(const Outcome& outcome, std::optional<std::int64_t> global_bytes);

}  // namespace anabranch
