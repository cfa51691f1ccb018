// What the program reads and writes: one JSON document a line.
#pragma once

#include <nlohmann/json.hpp>
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
  std::vector<std::int32_t> node_of_rank;  // relative to the root
  std::vector<double> arrival_s;           // the same; empty: all at 0
  Delivery delivery = Delivery::buffered;
  Window window;
};

// Throw std::invalid_argument or nlohmann::json::exception where a document is none.
Cluster cluster_of(const nlohmann::json& document);
Cell cell_of(const nlohmann::json& document);

nlohmann::json document_of(const Outcome& outcome);

}  // namespace anabranch
