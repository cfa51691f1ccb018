#include "verify/campaign.hpp"

#include <algorithm>
#include <stdexcept>

#include "algorithms/ordered_root.hpp"
#include "verify/cases.hpp"
#include "verify/node_layouts.hpp"
#include "verify/protocols.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

constexpr std::size_t some_behaviours = 5;  // above thorough_ranks

bool same(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.order == b.order && a.carries_sizes == b.carries_sizes &&
         a.peer == b.peer && a.round == b.round && a.repeat.count == b.repeat.count &&
         a.repeat.block_step == b.repeat.block_step && a.repeat.round_step == b.repeat.round_step &&
         a.first_part == b.first_part && a.part_count == b.part_count &&
         a.first_dependency == b.first_dependency && a.dependency_count == b.dependency_count;
}

bool same(const Schedule& a, const Schedule& b) {
  return a.rounds == b.rounds && std::ranges::equal(a.block_count, b.block_count) &&
         a.parts == b.parts && a.dependencies == b.dependencies &&
         std::ranges::equal(a.operations, b.operations,
                            [](const auto& x, const auto& y) { return same(x, y); });
}

using Schedules = std::vector<Schedule>;

bool same(const Schedules& a, const Schedules& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return same(x, y); });
}

class Run {
 public:
  Run(const Algorithm& asked, std::int32_t ranks, const Campaign& campaign)
      : asked_(asked), ranks_(ranks), campaign_(campaign) {}

  CampaignReport take() { return std::move(report_); }

  // False after a failure.
  bool try_schedule(const Algorithm& algorithm, std::int32_t blocks,
                    const std::vector<std::int64_t>& values, const NodeLayout& nodes = {}) {
    Schedules schedules;
    schedules.reserve(static_cast<std::size_t>(ranks_));
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      schedules.push_back(nodes.empty() ? algorithm.generate(ranks_, rank, blocks, values)
                                        : algorithm.generate_on_nodes(nodes, rank, blocks, values));
    }
    nodes_ = nodes;
    const auto is_same = [&](const Schedules& known) { return same(known, schedules); };
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
        const Meaning meaning(algorithm.collective, ranks_, found.blocks, root, sizes);
        Counts counts = check(schedules, meaning, demands, behaviours(root));
        report_.messages += counts.transfers * std::ssize(chosen_);
        if (root == 0) found.counts = std::move(counts);
      }
      if (root != 0) check_order_of_operands(algorithm, root);
      return true;
    } catch (const Violation& violation) {
      report_.failed_case = std::to_string(ranks_) + (ranks_ == 1 ? " rank, " : " ranks, ") +
                            std::to_string(found.blocks) +
                            (found.blocks == 1 ? " block, root " : " blocks, root ") +
                            std::to_string(root);
      for (std::size_t i = 0; i < found.values.size(); ++i) {
        report_.failed_case += ", " + std::string(algorithm.parameters[i].name) + "=" +
                               std::to_string(found.values[i]);
      }
      if (sizes == SizeKnowledge::own_buffers) report_.failed_case += ", own sizes known";
      if (!nodes_.empty()) report_.failed_case += ", " + text_of(nodes_);
      report_.fault = name_of(violation.fault());
      report_.reason = violation.what();
      return false;
    }
  }

  // To roots other than rank 0 reductions that keep the order of operands go by way of rank 0.
  void check_order_of_operands(const Algorithm& algorithm, std::int32_t root) {
    if (algorithm.collective != Collective::reduce || algorithm.commutative_only) return;
    const CaseReport& found = report_.cases.back();
    Schedules schedules;
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      schedules.push_back(
          ordered_reduction(algorithm, ranks_, rank, root, found.blocks, found.values));
    }
    Demands demands = campaign_.demands;
    demands.operand_order = true;
    check(schedules, Meaning(algorithm.collective, ranks_, found.blocks, root), demands,
          behaviours(root));
  }

  // All of them for few ranks and root 0; else some, in turn.
  std::span<const Behaviour> behaviours(std::int32_t root) {
    const auto all = default_behaviours();
    chosen_.clear();
    if (ranks_ <= campaign_.thorough_ranks && root == 0) {
      chosen_.assign(all.begin(), all.end());
    } else {
      const std::size_t count = root == 0 ? some_behaviours : 1;
      for (std::size_t i = 0; i < count; ++i) chosen_.push_back(all[turn_++ % all.size()]);
    }
    for (Behaviour& behaviour : chosen_) behaviour.seed += static_cast<std::uint64_t>(report_.runs);
    report_.runs += std::ssize(chosen_);
    return chosen_;
  }

  const Algorithm& asked_;
  std::int32_t ranks_;
  const Campaign& campaign_;
  CampaignReport report_;
  std::vector<Schedules> known_;
  std::vector<Behaviour> chosen_;
  std::size_t turn_ = 0;
  NodeLayout nodes_;  // of the last schedules; empty: they do not depend on it
};

bool try_nodes(Run& run, const Algorithm& algorithm, std::int32_t ranks, const Campaign& campaign) {
  constexpr std::int32_t all_parts_up_to = 9;  // ranks
  for (const NodeLayout& nodes : node_layouts(ranks)) {
    std::vector<Problem> problems;
    for (const std::int64_t size_bytes : sizes_bytes) {
      problems.push_back(on_nodes(problem_of(ranks, size_bytes), nodes));
    }
    auto sets = part_values(algorithm, problems);
    if (ranks > all_parts_up_to) sets.resize(std::min<std::size_t>(sets.size(), 3));
    for (const auto& values : sets) {
      const std::int32_t own = std::min(algorithm.blocks(problems.back(), values), most_blocks);
      const std::vector<std::int32_t> usual = {1, 5, own};
      for (const std::int32_t blocks :
           campaign.block_counts.empty() ? usual : campaign.block_counts) {
        run.forget_schedules();
        if (!run.try_schedule(algorithm, blocks, values, nodes)) return false;
      }
    }
  }
  return true;
}

bool try_policy(Run& run, const Algorithm& algorithm, std::int32_t ranks) {
  for (const std::int64_t size_bytes : sizes_bytes) {
    const Problem problem = problem_of(ranks, size_bytes);
    const Choice choice = resolve({&algorithm, with_defaults(algorithm, problem).values}, problem);
    if (choice.algorithm->form != Algorithm::Form::schedule) continue;
    const std::int32_t blocks = choice.algorithm->blocks(problem, choice.values);
    if (!run.try_schedule(*choice.algorithm, std::min(blocks, most_blocks), choice.values)) {
      return false;
    }
  }
  return true;
}

// What could happen to a protocol depends on the order of events, not on the message: a few block
// counts, with every order for few ranks and some of them for more.
class ProtocolRun {
 public:
  ProtocolRun(const Algorithm& algorithm, std::int32_t ranks, const Campaign& campaign)
      : algorithm_(algorithm), ranks_(ranks), campaign_(campaign) {}

  CampaignReport carry_out() {
    const std::vector<std::int32_t> usual = {1, 2, 3, 17};
    const auto& counts = campaign_.block_counts.empty() ? usual : campaign_.block_counts;
    for (const std::int32_t blocks : counts) {
      for (auto values : protocol_values()) {
        report_.cases.push_back({ranks_, blocks, {}, values, {}});
        for (const std::int32_t second_root : {0, ranks_ - 1}) {
          const ProtocolCase what{algorithm_, values, ranks_, blocks, {0, second_root}};
          if (!try_behaviours(what)) return std::move(report_);
          if (ranks_ == 1) break;
        }
      }
    }
    return std::move(report_);
  }

 private:
  static constexpr std::int32_t explored_ranks = 3;
  static constexpr std::int32_t explored_blocks = 2;
  static constexpr std::int64_t most_states = 100'000;

  // The defaults, and no waiting for more ranks where the algorithm can.
  std::vector<std::vector<std::int64_t>> protocol_values() const {
    std::vector<std::vector<std::int64_t>> sets;
    auto values = with_defaults(algorithm_, problem_of(ranks_, 1 << 20)).values;
    sets.push_back(values);
    for (std::size_t i = 0; i < algorithm_.parameters.size(); ++i) {
      if (algorithm_.parameters[i].name == "gather") values[i] = values[i] == 0 ? 1 : 0;
    }
    add_once(sets, values);
    return sets;
  }

  bool try_behaviours(ProtocolCase what) {
    const bool thorough = ranks_ <= campaign_.thorough_ranks;
    const auto all = default_behaviours();
    const std::size_t count = thorough ? all.size() : some_behaviours;
    try {
      for (std::size_t i = 0; i < count; ++i) {
        Behaviour behaviour = all[turn_++ % all.size()];
        behaviour.seed += static_cast<std::uint64_t>(report_.runs++);
        what.window = behaviour.window;
        what.sends = behaviour.sends;
        run_protocol(what, *make_order(behaviour, ranks_));
      }
      if (ranks_ > explored_ranks || what.blocks > explored_blocks) return true;
      what.window = {2, 2};
      report_.runs += explore_protocol(what, {most_states}).ends;
      return true;
    } catch (const Violation& violation) {
      report_.failed_case = std::to_string(ranks_) + " ranks, " + std::to_string(what.blocks) +
                            " blocks, roots 0 and " + std::to_string(what.roots.back());
      report_.fault = name_of(violation.fault());
      report_.reason = violation.what();
      return false;
    }
  }

  const Algorithm& algorithm_;
  std::int32_t ranks_;
  const Campaign& campaign_;
  CampaignReport report_;
  std::size_t turn_ = 0;
};

std::vector<std::int32_t> block_counts_of(const Algorithm& algorithm, std::int32_t ranks,
                                          const Campaign& campaign) {
  if (!campaign.block_counts.empty()) return campaign.block_counts;
  auto counts = default_block_counts(algorithm.collective, ranks);
  for (const std::int64_t size_bytes : sizes_bytes) {
    const Problem problem = problem_of(ranks, size_bytes);
    const auto values = with_defaults(algorithm, problem).values;
    const std::int32_t blocks = algorithm.blocks(problem, values);
    if (blocks < 1) throw std::invalid_argument("an algorithm cuts a message into no blocks");
    if (blocks <= most_blocks && ranks <= campaign.thorough_ranks) add_once(counts, blocks);
  }
  std::ranges::sort(counts);
  return counts;
}

}  // namespace

CampaignReport verify_algorithm(const Algorithm& algorithm, std::int32_t ranks,
                                const Campaign& campaign) {
  if (!algorithm.runs_on(ranks)) {
    throw std::invalid_argument(std::string(algorithm.id) + " does not run on " +
                                std::to_string(ranks) + " ranks");
  }
  for (const std::int32_t blocks : campaign.block_counts) {
    if (blocks < 1) throw std::invalid_argument("a message has at least 1 block");
  }
  if (algorithm.form == Algorithm::Form::protocol) {
    return ProtocolRun(algorithm, ranks, campaign).carry_out();
  }
  Run run(algorithm, ranks, campaign);
  if (algorithm.form == Algorithm::Form::policy) try_policy(run, algorithm, ranks);
  if (algorithm.form == Algorithm::Form::nodes) try_nodes(run, algorithm, ranks, campaign);
  if (algorithm.form != Algorithm::Form::schedule) return run.take();
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
