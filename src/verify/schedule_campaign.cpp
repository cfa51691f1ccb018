#include "verify/schedule_campaign.hpp"

#include <algorithm>
#include <stdexcept>

#include "algorithms/instantiate.hpp"
#include "verify/cases.hpp"
#include "verify/places.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

using Schedules = std::vector<Schedule>;

class ScheduleCampaign {
 public:
  ScheduleCampaign(const Algorithm& asked, std::int32_t ranks, const Campaign& campaign)
      : asked_(asked), ranks_(ranks), campaign_(campaign) {}

  CampaignReport take() {
    report_.runs = turns_.taken();
    return std::move(report_);
  }

  // False after a failure.
  bool try_schedule(const Algorithm& algorithm, std::int32_t blocks,
                    const std::vector<std::int64_t>& values,
                    const std::shared_ptr<const Places>& places = nullptr) {
    places_ = places;
    Schedules schedules = schedules_of(algorithm, blocks, values, {.ranks = ranks_});
    const auto is_same = [&](const Schedules& known) { return known == schedules; };
    if (std::ranges::any_of(known_, is_same)) return true;
    known_.push_back(std::move(schedules));
    CaseReport found{ranks_, blocks, {}, values, {}};
    if (&algorithm != &asked_) found.algorithm = algorithm.id;
    report_.cases.push_back(std::move(found));
    return try_roots(algorithm, known_.back());
  }

  // Schedules for other block counts differ anyhow: there is no need to compare with them.
  void forget_schedules() { known_.clear(); }

 private:
  // By rank relative to the root.
  Schedules schedules_of(const Algorithm& algorithm, std::int32_t blocks, Values values,
                         Group group) const {
    Schedules schedules;
    schedules.reserve(static_cast<std::size_t>(ranks_));
    group.places = places_;
    for (group.rank = 0; group.rank < ranks_; ++group.rank) {
      schedules.push_back(make_schedule(algorithm, group, blocks, values));
    }
    return schedules;
  }

  bool try_roots(const Algorithm& algorithm, const Schedules& schedules) {
    const bool rooted = is_rooted(algorithm.collective);
    const bool thorough = ranks_ <= campaign_.thorough_ranks;
    for (std::int32_t root = 0; root < (rooted ? ranks_ : 1); ++root) {
      if (!thorough && root != 0 && root + 1 != ranks_) continue;
      if (!try_root(algorithm, schedules, root)) return false;
    }
    return true;
  }

  bool try_root(const Algorithm& algorithm, const Schedules& schedules, std::int32_t root) {
    CaseReport& found = report_.cases.back();
    // Relative ranks are in the order of ranks only if the root is rank 0: where the order of
    // operands counts, a rooted reduction is run with that root.
    Demands demands = campaign_.demands;
    demands.operand_order = !algorithm.commutative_only && root == 0;
    SizeKnowledge sizes = SizeKnowledge::everywhere;
    try {
      for (const SizeKnowledge each : {SizeKnowledge::everywhere, SizeKnowledge::own_buffers}) {
        if (!algorithm.serves(each, found.values)) continue;
        sizes = each;
        const Semantics semantics(algorithm.collective, ranks_, found.blocks, root, sizes);
        const auto chosen = behaviours(root);
        Counts counts = check(schedules, semantics, demands, chosen);
        report_.messages += counts.transfers * std::ssize(chosen);
        if (root == 0) found.counts = std::move(counts);
      }
      if (root != 0) check_order_of_operands(algorithm, root);
      return true;
    } catch (const Violation& violation) {
      std::string where = ", root " + std::to_string(root);
      for (std::size_t i = 0; i < found.values.size(); ++i) {
        where += ", " + std::string(algorithm.parameters[i].name) + "=" +
                 std::to_string(found.values[i]);
      }
      if (sizes == SizeKnowledge::own_buffers) where += ", own sizes known";
      where += text_of(places_.get());
      report_.fail(found, where, violation);
      return false;
    }
  }

  // To roots other than rank 0 reductions that keep the order of operands go by way of rank 0.
  void check_order_of_operands(const Algorithm& algorithm, std::int32_t root) {
    if (algorithm.collective != Collective::reduce || algorithm.commutative_only) return;
    const CaseReport& found = report_.cases.back();
    const Schedules schedules =
        schedules_of(algorithm, found.blocks, found.values,
                     {.ranks = ranks_, .root = root, .keeps_operand_order = true});
    Demands demands = campaign_.demands;
    demands.operand_order = true;
    check(schedules, Semantics(algorithm.collective, ranks_, found.blocks, root), demands,
          behaviours(root));
  }

  // All of them for few ranks and root 0; else some.
  std::span<const Behaviour> behaviours(std::int32_t root) {
    if (root != 0) return turns_.take(1);
    return turns_.take(ranks_ <= campaign_.thorough_ranks ? every_behaviour : some_behaviours);
  }

  const Algorithm& asked_;
  std::int32_t ranks_;
  const Campaign& campaign_;
  CampaignReport report_;
  std::vector<Schedules> known_;
  BehaviourTurns turns_;
  std::shared_ptr<const Places> places_;  // of the last schedules; null: they depend on none
};

bool try_places(ScheduleCampaign& run, const Algorithm& algorithm, std::int32_t ranks,
                const Campaign& campaign) {
  constexpr std::int32_t all_components_up_to = 9;  // ranks
  for (const auto& places : places_for(algorithm, ranks)) {
    std::vector<Problem> problems;
    for (const std::int64_t size_bytes : sizes_bytes) {
      problems.push_back(at_places(problem_of(ranks, size_bytes), *places));
    }
    auto sets = values_to_verify(algorithm, problems);
    if (ranks > all_components_up_to) sets.resize(std::min<std::size_t>(sets.size(), 3));
    for (const auto& values : sets) {
      const std::int32_t own = std::min(algorithm.blocks(problems.back(), values), max_blocks);
      const std::vector<std::int32_t> usual = {1, 5, own};
      for (const std::int32_t blocks :
           campaign.block_counts.empty() ? usual : campaign.block_counts) {
        run.forget_schedules();
        if (!run.try_schedule(algorithm, blocks, values, places)) return false;
      }
    }
  }
  return true;
}

bool try_policy(ScheduleCampaign& run, const Algorithm& algorithm, std::int32_t ranks) {
  for (const std::int64_t size_bytes : sizes_bytes) {
    const Problem problem = problem_of(ranks, size_bytes);
    const Choice choice = resolve({&algorithm, with_defaults(algorithm, problem).values}, problem);
    if (!choice.algorithm->has_schedule()) continue;
    const std::int32_t blocks = choice.algorithm->blocks(problem, choice.values);
    if (!run.try_schedule(*choice.algorithm, std::min(blocks, max_blocks), choice.values)) {
      return false;
    }
  }
  return true;
}

std::vector<std::int32_t> block_counts_of(const Algorithm& algorithm, std::int32_t ranks,
                                          const Campaign& campaign) {
  if (!campaign.block_counts.empty()) return campaign.block_counts;
  auto counts = default_block_counts(algorithm.collective, ranks);
  for (const std::int64_t size_bytes : sizes_bytes) {
    const Problem problem = problem_of(ranks, size_bytes);
    const auto values = with_defaults(algorithm, problem).values;
    const std::int32_t blocks = algorithm.blocks(problem, values);
    if (blocks < 1) throw std::invalid_argument("an algorithm cuts a message into no blocks");
    if (blocks <= max_blocks && ranks <= campaign.thorough_ranks) add_once(counts, blocks);
  }
  std::ranges::sort(counts);
  return counts;
}

}  // namespace

CampaignReport verify_schedules(const Algorithm& algorithm, std::int32_t ranks,
                                const Campaign& campaign) {
  ScheduleCampaign run(algorithm, ranks, campaign);
  if (algorithm.is_policy()) try_policy(run, algorithm, ranks);
  if (algorithm.needs_nodes || algorithm.needs_plan) try_places(run, algorithm, ranks, campaign);
  if (!algorithm.serves_any_group()) return run.take();
  const auto sets = value_sets(algorithm, ranks);
  for (const std::int32_t blocks : block_counts_of(algorithm, ranks, campaign)) {
    run.forget_schedules();
    for (const auto& values : sets) {
      if (!run.try_schedule(algorithm, blocks, values)) return run.take();
    }
  }
  return run.take();
}

}  // namespace anabranch::verify
