#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "algorithms/arrival_reductions.hpp"
#include "algorithms/descriptors.hpp"
#include "algorithms/in_segments.hpp"
#include "algorithms/instantiate.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

bool cuts_parts(const Algorithm& algorithm) {
  return algorithm.serves_any_group() && algorithm.blocks == segmented_blocks_of_parts;
}

// All ranks, the first one first and these last.
std::vector<std::int32_t> with_last(std::span<const std::int32_t> members, std::int32_t ranks) {
  std::vector<std::int32_t> order = {0};
  for (std::int32_t rank = 1; rank < ranks; ++rank) {
    if (!std::ranges::binary_search(members, rank)) order.push_back(rank);
  }
  std::ranges::copy_if(members, std::back_inserter(order), [](auto rank) { return rank != 0; });
  return order;
}

}  // namespace

ReductionGroups::ReductionGroups(Collective collective, const Problem& problem, std::int32_t blocks,
                                 ScheduleCache* cache)
    : collective_(collective),
      problem_(problem),
      blocks_(blocks),
      block_bytes_(std::max<std::int64_t>((problem.size_bytes + blocks - 1) / blocks, 1)),
      cache_(cache) {}

// Of ranks with a node each: it does not know others.
Problem ReductionGroups::problem_of(std::int32_t ranks) const {
  Problem problem = problem_;
  problem.ranks = ranks;
  problem.nodes = {ranks, 1};
  problem.planned = {};
  return problem;
}

std::vector<std::int64_t> ReductionGroups::values(const Algorithm& algorithm,
                                                  const Problem& problem) const {
  if (!cuts_parts(algorithm)) return values_in_segments(algorithm, problem, block_bytes_);
  auto values = with_defaults(algorithm, problem).values;
  if (const auto segment = segment_for(algorithm, problem, blocks_)) values[0] = *segment;
  return values;
}

std::int32_t ReductionGroups::cheapest(Collective collective, std::int32_t ranks) const {
  const Problem problem = problem_of(ranks);
  const auto candidates = candidates_in_segments(collective, problem, block_bytes_);
  return static_cast<std::int32_t>(index_of(cheapest_in_segments(collective, candidates, problem)));
}

std::int32_t ReductionGroups::reduction(std::int32_t ranks) const {
  return cheapest(Collective::reduce, ranks);
}

// The last ranks of a chain pass nothing on: the last group needs their ports for its operands, and
// along others these would carry the message twice.
std::int32_t ReductionGroups::broadcast() const {
  const std::int32_t other = cheapest(Collective::bcast, problem_.ranks);
  const Problem problem = problem_of(problem_.ranks);
  const Algorithm& chosen = *algorithm_at(other);
  const double chain_s = bcast_chain.cost_s(problem, values(bcast_chain, problem));
  const double other_s = chosen.cost_s(problem, values(chosen, problem));
  const double message_s =
      static_cast<double>(problem.size_bytes) * problem.network.time_per_byte_s;
  return chain_s <= other_s + message_s ? static_cast<std::int32_t>(index_of(bcast_chain)) : other;
}

std::int32_t ReductionGroups::allreduce() const {
  const Problem problem = problem_of(problem_.ranks);
  const auto candidates = candidates_for(Collective::allreduce, problem,
                                         [&](const Algorithm& algorithm) -> std::optional<Choice> {
                                           if (!cuts_parts(algorithm)) return std::nullopt;
                                           return Choice{&algorithm, values(algorithm, problem)};
                                         });
  const Candidate* chosen =
      tuned_default(candidates, situation_of_group(Collective::allreduce, problem)).candidate;
  if (chosen == nullptr) throw std::logic_error("no allreduce cuts parts into segments");
  return static_cast<std::int32_t>(index_of(*chosen->choice.algorithm));
}

bool ReductionGroups::is_one(std::int32_t algorithm, Collective collective,
                             std::int32_t ranks) const {
  const Algorithm* named = algorithm_at(algorithm);
  return named != nullptr && named->can_be_component(collective) && named->runs_on(ranks);
}

std::shared_ptr<const Schedule> ReductionGroups::schedule(std::int32_t algorithm,
                                                          std::int32_t ranks,
                                                          std::int32_t rank) const {
  const Algorithm& chosen = *algorithm_at(algorithm);
  return find_schedule({&chosen, values(chosen, problem_of(ranks))}, {.ranks = ranks, .rank = rank},
                       blocks_, cache_);
}

// In an allreduce all have room for the result; in a reduce those that pass others' operands on
// need scratch. What the first rank has combined takes the place of its operand.
std::shared_ptr<const Schedule> ReductionGroups::in_group(std::int32_t algorithm,
                                                          std::int32_t members, std::int32_t place,
                                                          bool has_result) const {
  auto plain = schedule(algorithm, members, place);
  has_result = has_result && place == 0;
  if (!is_for_all() && !has_result) return plain;
  Builder builder(members, place, plain->rounds, is_for_all() || place == 0 ? blocks_ : 0);
  builder.input(blocks_);
  builder.append(*plain, 0, {},
                 {.input = {has_result ? Buffer::output : Buffer::input},
                  .scratch = {is_for_all() ? Buffer::output : Buffer::scratch}});
  return std::make_shared<const Schedule>(std::move(builder).finish());
}

std::shared_ptr<const Schedule> ReductionGroups::taking_over(bool is_first) const {
  const Buffer sum = is_first ? Buffer::output : Buffer::scratch;
  Builder builder(2, 0, 1, is_first ? blocks_ : 0);
  builder.input(blocks_);
  if (!is_first) {
    builder.scratch(blocks_);
    builder.copy(0, blocks(0, blocks_, sum), blocks(0, blocks_, Buffer::input));
  }
  // Those that pass blocks on know no rounds.
  builder.reduce(0, 1, block(0, sum), OperandOrder::mine_first, {blocks_, 1, 0});
  return std::make_shared<const Schedule>(std::move(builder).finish());
}

std::shared_ptr<const Schedule> ReductionGroups::in_last_group(
    std::int32_t reduction, std::int32_t broadcast, std::span<const std::int32_t> members,
    std::int32_t rank, bool has_result) const {
  const auto size = static_cast<std::int32_t>(members.size());
  const auto order = with_last(members, problem_.ranks);
  const auto place = std::ranges::find(order, rank) - order.begin();
  const auto passed_on = schedule(broadcast, problem_.ranks, static_cast<std::int32_t>(place));
  const auto own = std::ranges::find(members, rank);
  const bool is_member = own != members.end();
  const auto combined =
      is_member
          ? in_group(reduction, size, static_cast<std::int32_t>(own - members.begin()), has_result)
          : schedule(reduction, size, 0);  // for its rounds
  Builder builder(problem_.ranks, rank, combined->rounds + passed_on->rounds, blocks_);
  builder.input(blocks_);
  // A reduction sends the last block first: in the opposite order the broadcast can follow it.
  if (is_member) {
    const auto reversed = [&](Buffer buffer) {
      return Place{.buffer = buffer, .first = blocks_ - 1, .step = -1};
    };
    builder.append(*combined, 0, members,
                   {.input = reversed(Buffer::input),
                    .output = reversed(Buffer::output),
                    .scratch = reversed(Buffer::scratch)});
  }
  builder.append(*passed_on, combined->rounds, order);
  return std::make_shared<const Schedule>(std::move(builder).finish());
}

std::shared_ptr<const Schedule> ReductionGroups::all_at_once(std::int32_t algorithm,
                                                             std::int32_t rank) const {
  return schedule(algorithm, problem_.ranks, rank);
}

double ReductionGroups::cost_s() const {
  const Algorithm& chosen = *algorithm_at(is_for_all() ? allreduce() : reduction(problem_.ranks));
  const Problem problem = problem_of(problem_.ranks);
  return chosen.cost_s(problem, values(chosen, problem));
}

double arrival_reduction_s(Collective collective, const Problem& problem, std::int32_t blocks) {
  if (problem.ranks < 2) return 0;
  const ReductionGroups groups(collective, problem, blocks, nullptr);
  return 2 * problem.network.latency_s + groups.cost_s();
}

}  // namespace anabranch
