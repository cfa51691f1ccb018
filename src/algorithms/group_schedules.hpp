// Static schedules for the group of ranks that a protocol serves together.
#pragma once

#include <cstdint>
#include <memory>

#include "algorithms/algorithm.hpp"
#include "algorithms/schedule_cache.hpp"

namespace anabranch {

// The cheapest algorithm under the model that can cut the problem's message into segments of this
// size, or the one that measurements prefer (evidence/rows.inc) where that costs little more; of
// equals the one whose id comes first.
const Algorithm& cheapest_in_segments(const Problem& problem, std::int64_t segment_bytes);

// The same by the mean over the ranks of the time at which they leave: a chain unless the one above
// lets them leave clearly earlier.
const Algorithm& least_mean_time(const Problem& problem, std::int64_t segment_bytes);

class GroupSchedules {
 public:
  // `fixed`: the algorithm to use, or null for the one with the least mean time. The cache must
  // outlive the groups.
  GroupSchedules(const Problem& problem, std::int64_t segment_bytes, std::int32_t blocks,
                 const Algorithm* fixed, ScheduleCache* cache)
      : problem_(problem),
        segment_bytes_(segment_bytes),
        blocks_(blocks),
        fixed_(fixed),
        cache_(cache) {}

  // For a group of so many ranks, the root among them: an index into all_algorithms(). Where the
  // last member is to pass blocks on to others, a schedule that leaves its port free.
  std::int32_t choose(std::int32_t ranks, bool last_passes_on) const;
  // Whether that index, which another rank told, is one of a schedule for so many ranks.
  static bool knows(std::int32_t algorithm, std::int32_t ranks);
  // Of the one that is chosen where the last member passes nothing on, s.
  double cost_s(std::int32_t ranks) const;
  std::shared_ptr<const Schedule> schedule(std::int32_t algorithm, std::int32_t ranks,
                                           std::int32_t rank) const;

 private:
  Problem problem_;
  std::int64_t segment_bytes_;
  std::int32_t blocks_;
  const Algorithm* fixed_;
  ScheduleCache* cache_;
};

}  // namespace anabranch
