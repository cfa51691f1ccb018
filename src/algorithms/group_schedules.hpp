// Static schedules for the group of ranks that a protocol serves together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "algorithms/algorithm.hpp"
#include "algorithms/schedule_cache.hpp"

namespace anabranch {

// How a group is served, in numbers that its root tells the others: indices into all_algorithms().
struct GroupChoice {
  std::int32_t algorithm = 0;
  std::int32_t within = -1;  // nodes; `algorithm` between them. -1: it serves all by itself
};

class GroupSchedules {
 public:
  // `fixed`: the algorithm to use, or null: for all ranks the one that would serve them without a
  // protocol, for some of them the one with the least mean time. Where the group's places are
  // known, it goes by them: along the trees of a plan, or over nodes. The cache must outlive the
  // groups.
  GroupSchedules(const Group& group, const Problem& problem, std::int64_t segment_bytes,
                 std::int32_t blocks, const Algorithm* fixed, ScheduleCache* cache)
      : group_(group),
        problem_(problem),
        segment_bytes_(segment_bytes),
        blocks_(blocks),
        fixed_(fixed),
        cache_(cache) {}

  // Members by their ranks relative to the root, which is the first. absent: how many others may
  // come later and take from the last of these, where the schedule leaves its port free. That is
  // weighed against what such a schedule costs the members.
  GroupChoice choose(std::span<const std::int32_t> members, std::int32_t absent) const;
  // Whether the last member, or its node, has its port free.
  bool lets_last_pass_on(GroupChoice choice, std::span<const std::int32_t> members) const;
  // Whether that choice, which another rank told, is one of a schedule for these.
  bool knows(GroupChoice choice, std::span<const std::int32_t> members) const;
  std::shared_ptr<const Schedule> schedule(GroupChoice choice,
                                           std::span<const std::int32_t> members,
                                           std::int32_t place) const;
  bool has_plan() const { return group_.places != nullptr && group_.places->plan() != nullptr; }

  // Of a group of so many ranks, spread over nodes as those of the problem, where the last one
  // passes nothing on, s.
  double cost_s(std::int32_t ranks) const;

 private:
  Problem problem_of(std::span<const std::int32_t> members) const;
  Places places_of(std::span<const std::int32_t> members) const;
  GroupChoice choose(const Problem& problem, std::int32_t absent) const;
  const Algorithm& between(const Problem& problem, std::int32_t absent, bool is_for_all) const;

  Group group_;
  Problem problem_;
  std::int64_t segment_bytes_;
  std::int32_t blocks_;
  const Algorithm* fixed_;
  ScheduleCache* cache_;
};

}  // namespace anabranch
