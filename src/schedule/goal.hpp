// Schedules in GOAL, the input of LogGOPSim and its relatives.
//
// GOAL has no repeats, so that the text has a line per message. Each message between two ranks has
// its own tag, since GOAL's operations start as soon as their dependencies allow. A reduction is a
// recv and a calc that requires it; calc takes one unit per byte.
// Source: Hoefler, Siebert, Lumsdaine, Group Operation Assembly Language, ICPP 2009; grammar of
// LogGOPSim's txt2bin.
#pragma once

#include <functional>
#include <ostream>

#include "schedule/layout.hpp"
#include "schedule/schedule.hpp"

namespace anabranch {

// Writes the file for schedule_of(0) .. schedule_of(ranks - 1), which are asked for one at a time.
// Relative rank r is written as (r + root) mod ranks.
void write_goal(std::ostream& out, std::int32_t ranks,
                const std::function<Schedule(std::int32_t)>& schedule_of, const Layouts& layouts,
                std::int32_t root = 0);

}  // namespace anabranch
