// What the reductions that do not wait for the late have in common.
//
// Every rank tells the first one, which is the root or rank 0, when it arrives. Ranks that are
// there together are a group: along one schedule they combine their operands with what the first
// rank has so far. So nobody waits for the late but the first rank, and who comes last pays for one
// message. Operands are combined in the order of arrivals.
//
// Those who come while a group combines form a line in a reduce: each takes over, block by block,
// what the one before it has, which then leaves, and combines it with its own operand; the first
// rank takes over from the last of them once it is free. In an allreduce they wait, since all wait
// for the last one: groups go one after the other. The last one combines while the first rank
// passes the result on to all, block by block; where all are there from the beginning, one
// allreduce serves them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/arrival_aware.hpp"

namespace anabranch {

// Schedules for groups. Ranks are relative to the first one, which is in every group.
class ReductionGroups {
 public:
  // Of the message in so many blocks. The cache must outlive the groups; null: none.
  ReductionGroups(Collective collective, const Problem& problem, std::int32_t blocks,
                  ScheduleCache* cache);

  bool is_for_all() const { return collective_ == Collective::allreduce; }

  // Algorithms by their index: for a group of so many ranks, to pass the result on, for all at
  // once.
  std::int32_t reduction(std::int32_t ranks) const;
  std::int32_t broadcast() const;
  std::int32_t allreduce() const;
  // Whether another rank may name this one for so many ranks.
  bool is_one(std::int32_t algorithm, Collective collective, std::int32_t ranks) const;

  // What a member does, which is the one at `place`. has_result: the first rank has combined its
  // own operand with others before.
  std::shared_ptr<const Schedule> in_group(std::int32_t algorithm, std::int32_t members,
                                           std::int32_t place, bool has_result) const;
  // What a rank does that takes the operands of another, block by block, and combines them: the
  // first rank with its result, others with their own operands, in scratch. The other is rank 1.
  std::shared_ptr<const Schedule> taking_over(bool is_first) const;
  // What a rank does while the last group combines and the result goes to all.
  std::shared_ptr<const Schedule> in_last_group(std::int32_t reduction, std::int32_t broadcast,
                                                std::span<const std::int32_t> members,
                                                std::int32_t rank, bool has_result) const;
  std::shared_ptr<const Schedule> all_at_once(std::int32_t algorithm, std::int32_t rank) const;

  // Under the model, of ranks that arrive together, s.
  double cost_s() const;

 private:
  Problem problem_of(std::int32_t ranks) const;
  std::shared_ptr<const Schedule> schedule(std::int32_t algorithm, std::int32_t ranks,
                                           std::int32_t rank) const;
  std::int32_t cheapest(Collective collective, std::int32_t ranks) const;
  std::vector<std::int64_t> values(const Algorithm& algorithm, const Problem& problem) const;

  Collective collective_;
  Problem problem_;
  std::int32_t blocks_;
  std::int64_t block_bytes_;
  ScheduleCache* cache_;
};

// gather_us: how long the first rank waits for more before it serves the first of a group.
std::unique_ptr<Execution> start_arrival_reduction(const Group& group, std::int32_t blocks,
                                                   const Conditions& conditions,
                                                   Collective collective, std::int64_t gather_us);
// A maker; the values are a segment and `gather`.
template <Collective collective>
std::unique_ptr<Execution> start_arrival_groups(const Group& group, std::int32_t blocks,
                                                Values values, const Conditions& conditions) {
  return start_arrival_reduction(group, blocks, conditions, collective, values[1]);
}

// Of ranks that arrive together: all control messages come at once, and one group serves all.
double arrival_reduction_s(Collective collective, const Problem& problem, std::int32_t blocks);

}  // namespace anabranch
