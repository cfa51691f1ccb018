// How many bytes a message of an execution has.
#pragma once

#include <cstdint>

#include "execution/execution.hpp"
#include "schedule/layout.hpp"

namespace anabranch {

// Of a send or receive; with the sizes of its blocks where they go along.
std::int64_t bytes_of(const Action& action, const Layouts& layouts);

}  // namespace anabranch
