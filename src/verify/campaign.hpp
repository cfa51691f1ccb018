// All cases of an algorithm for one number of ranks: block counts, parameters, roots, behaviours of
// the network. Stops at the first failure; smaller cases come first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "verify/verifier.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {

struct Campaign {
  // Up to this many ranks every root is tried, and every behaviour; above it root 0 and the last
  // rank, and some of the behaviours, others for each case.
  std::int32_t thorough_ranks = 16;
  std::vector<std::int32_t> block_counts;  // empty: those at which algorithms tend to fail
  Demands demands;                         // operand order is the algorithm's own affair
};

struct CaseReport {
  std::int32_t ranks = 1;
  std::int32_t blocks = 1;
  std::string algorithm;             // other than the one asked for where that is a policy
  std::vector<std::int64_t> values;  // of its parameters
  Counts counts;
};

struct CampaignReport {
  std::vector<CaseReport> cases;  // with distinct schedules
  std::int64_t runs = 0;          // over symbolic networks
  std::int64_t messages = 0;      // in all those runs
  std::string failed_case;        // empty where all is well: "5 ranks, 3 blocks, root 2"
  std::string fault;              // see Fault
  std::string reason;             // one sentence

  void fail(const CaseReport& failed, const std::string& where, const Violation& violation);
};

// Throws std::invalid_argument where the algorithm cannot run on so many ranks or blocks.
CampaignReport verify_algorithm(const Algorithm& algorithm, std::int32_t ranks,
                                const Campaign& campaign);

}  // namespace anabranch::verify
