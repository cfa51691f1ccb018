// From a choice to what runs: the one way for real MPI, for the model, the verifier and whoever
// explains or draws. Nothing else looks at how an algorithm is made.
#pragma once

#include <memory>

#include "algorithms/algorithm.hpp"
#include "algorithms/schedule_cache.hpp"

namespace anabranch {

// What the group's rank does. Null where the MPI beneath does it. Policies are followed first
// (resolve). Throws std::invalid_argument where the group lacks what the algorithm needs.
std::unique_ptr<Execution> instantiate(const Choice& choice, const Group& group,
                                       std::int32_t blocks, const Conditions& conditions);

// The same as a schedule, from the cache if there is one. Null where it cannot be known beforehand.
std::shared_ptr<const Schedule> find_schedule(const Choice& choice, const Group& group,
                                              std::int32_t blocks, ScheduleCache* cache = nullptr);

// A new one. Throws std::invalid_argument where it cannot be known beforehand.
Schedule make_schedule(const Algorithm& algorithm, const Group& group, std::int32_t blocks,
                       Values values);

}  // namespace anabranch
