// What the functions of functions.inc do in the library for one ABI.
#pragma once

#include "interpose/table.hpp"

namespace anabranch::interpose {

// Looks up the MPI beneath and fills in what is to be called instead. Functions that the MPI does
// not have stay null, apart from large-count ones, which are made from the classic. Null, or one
// line that says what is missing.
const char* offer(const Beneath& beneath, Functions& offered);

}  // namespace anabranch::interpose
