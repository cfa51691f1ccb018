// The cases of what is a schedule in the end: algorithms, also by nodes, and what policies pick.
#pragma once

#include "verify/campaign.hpp"

namespace anabranch::verify {

CampaignReport verify_schedules(const Algorithm& algorithm, std::int32_t ranks,
                                const Campaign& campaign);

}  // namespace anabranch::verify
