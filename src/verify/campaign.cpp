#include "verify/campaign.hpp"

#include <stdexcept>

#include "verify/protocol_campaign.hpp"
#include "verify/schedule_campaign.hpp"

namespace anabranch::verify {
namespace {

std::string counted(std::int32_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

void CampaignReport::fail(const CaseReport& failed, const std::string& where,
                          const Violation& violation) {
  failed_case = counted(failed.ranks, "rank") + ", " + counted(failed.blocks, "block") + where;
  fault = name_of(violation.fault());
  reason = violation.what();
}

CampaignReport verify_algorithm(const Algorithm& algorithm, std::int32_t ranks,
                                const Campaign& campaign) {
  if (!algorithm.runs_on(ranks)) {
    throw std::invalid_argument(std::string(algorithm.id) + " does not run on " +
                                std::to_string(ranks) + " ranks");
  }
  for (const std::int32_t blocks : campaign.block_counts) {
    if (blocks < 1) throw std::invalid_argument("a message has at least 1 block");
  }
  return algorithm.is_protocol() ? verify_protocol(algorithm, ranks, campaign)
                                 : verify_schedules(algorithm, ranks, campaign);
}

}  // namespace anabranch::verify
