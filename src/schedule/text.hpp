// Schedules as people read them: a line per operation.
//
//   rank 1 of 4: 6 rounds, 4 output blocks
//     0  round 0  receive from 0  output 0     4 times: block +1, round +1
//     1  round 1  send to 2       output 0     4 times: block +1, round +1  after 0
#pragma once

#include <string>

#include "schedule/schedule.hpp"

namespace anabranch {

std::string_view name_of(Buffer buffer);

// "output 3", "output 4..7", "scratch 0..6 step 2".
std::string text_of(const BlockSet& set);

// Ends with a line end. Numbers in front of the operations are those that "after" refers to.
std::string text_of(const Schedule& schedule);

}  // namespace anabranch
