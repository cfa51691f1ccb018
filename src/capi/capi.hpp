// The public C functions, as handed to the dispatcher, which exports them.
#pragma once

#include "interpose/table.hpp"

namespace anabranch::capi {

void offer(interpose::Offered& offered);

}  // namespace anabranch::capi
