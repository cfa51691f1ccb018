// The cases of a protocol. What could happen depends on the order of events, not on the message: a
// few block counts, with every order for few ranks and some of them for more.
#pragma once

#include "verify/campaign.hpp"

namespace anabranch::verify {

CampaignReport verify_protocol(const Algorithm& algorithm, std::int32_t ranks,
                               const Campaign& campaign);

}  // namespace anabranch::verify
