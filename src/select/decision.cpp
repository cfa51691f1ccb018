#include "select/decision.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/situation.hpp"
#include "platform/measured_links.hpp"
#include "select/native_sizes.hpp"
#include "select/price.hpp"
#include "select/quantity.hpp"

namespace anabranch {
namespace {

// Where results must not depend on what a machine is like, choices are those for this network:
// between Ethernet and what clusters have.
constexpr Network any_network{.latency_s = 2e-5, .time_per_byte_s = 8e-10};

constexpr std::string_view too_late =
    "too late for native once a message tells the size that only the root knew";

Problem anywhere(Problem problem) {
  problem.network = any_network;
  problem.planned = {};
  problem.nodes = {};
  return problem;
}

// Unknown places count as a node for each rank.
Problem with_places(Problem problem) {
  if (problem.nodes.count == 0) problem.nodes = {problem.ranks, 1};
  return problem;
}

const Algorithm* native_of(Collective collective) {
  return find_algorithm(std::string(name_of(collective)) + "/native");
}

// Makes one decision.
class Deciding {
 public:
  Deciding(Collective collective, const Problem& asked, const Settings& settings)
      : collective_(collective),
        asked_(asked),
        settings_(settings),
        is_fixed_(is_reproducible(collective, settings)),
        problem_(is_fixed_ ? anywhere(asked) : asked) {}

  Decision decide() {
    const Problem placed = with_places(problem_);
    if (is_known(problem_.network) || is_announced(problem_)) {
      decision_.candidates = priced_candidates(collective_, is_fixed_ ? problem_ : placed);
    }
    const Situation known = situation_under(settings_, situation_of(collective_, problem_));
    const Selection* selection = settings_.selection(collective_).at(problem_.size_bytes);
    const bool is_late = is_announced(problem_) && !settings_.disable;
    auto settled = is_late ? std::nullopt : settled_as_native(known, settings_);
    if (settled) {
      const Basis basis = settled->evidence != nullptr ? Basis::evidence : Basis::settings;
      take_native(std::move(settled->reason), basis, settled->evidence);
    } else if (selection != nullptr) {
      take_as_set(*selection);
    } else if (is_late) {
      take_another(std::string(too_late));
    } else if (is_fixed_) {
      take_anywhere();
    } else if (!is_known(problem_.network)) {
      take_native("the network is not known", Basis::model);
    } else {
      Situation situation = situation_under(settings_, situation_of(collective_, placed));
      situation.latencies_to_gain = latencies_to_gain();
      take_by_evidence(situation);
    }
    finish(settled.has_value());
    return std::move(decision_);
  }

 private:
  void take_native(std::string reason, Basis basis, const Evidence* evidence = nullptr) {
    take({native_of(collective_), {}}, std::move(reason), basis, evidence);
  }

  void take(Choice choice, std::string reason, Basis basis, const Evidence* evidence = nullptr) {
    decision_.choice = std::move(choice);
    decision_.reason = std::move(reason);
    decision_.basis = basis;
    decision_.evidence = evidence;
  }

  void take_as_set(const Selection& selection) {
    Choice choice = resolve(selection.at(problem_), problem_);
    if (auto why_not = refusal_here(choice)) {
      take_another(*std::move(why_not));
      return;
    }
    const bool is_policy = choice.algorithm != selection.algorithm;
    take(std::move(choice),
         is_policy ? "what " + std::string(selection.algorithm->id) + " picks, set by the user"
                   : "set by the user",
         Basis::settings);
  }

  std::optional<std::string> refusal_here(const Choice& choice) const {
    if (is_fixed_ && choice.algorithm->needs_nodes) {
      return std::string(choice.algorithm->id) +
             " goes by where ranks are, and results are to be reproducible";
    }
    if (is_fixed_ && choice.algorithm->combines_by_arrival) {
      return std::string(choice.algorithm->id) +
             " goes by who arrives when, and results are to be reproducible";
    }
    if (is_announced(problem_) && !choice.algorithm->serves_any_group()) {
      return std::string(too_late);
    }
    return refusal(choice, problem_);
  }

  // In place of what cannot serve the call.
  void take_another(std::string why) {
    const Situation situation = situation_of(collective_, with_places(problem_));
    const Candidate* other = tuned_default(decision_.candidates, situation).candidate;
    if (other == nullptr) {
      take_native(std::move(why), Basis::stand_in);
    } else {
      take(other->choice, std::move(why) + "; " + cheapest_of_all() + " that can", Basis::stand_in);
    }
  }

  void take_anywhere() {
    const Network& network = problem_.network;
    take(cheapest()->choice,
         "reproducible: " + cheapest_of_all() + " on a network of " +
             format_duration(network.latency_s) + " and " +
             format_bandwidth(1 / network.time_per_byte_s),
         Basis::fixed_network);
  }

  void take_by_evidence(const Situation& situation) {
    if (take_tuned(situation)) return;
    for (const Evidence& row : all_evidence()) {
      if (row.holds(situation) != Holds::yes) continue;
      if (row.is_for_native()) {
        return take_native(std::string(row.reason), Basis::evidence, &row);
      }
      if (row.was_slower(situation, predicted_gain(row))) {
        if (row.otherwise == Otherwise::next_row) continue;
        return take_native("native was faster than " + std::string(row.prefers) + " when measured",
                           Basis::evidence, &row);
      }
      if (take_preferred(row)) return;
    }
    take_by_model();
  }

  bool take_tuned(const Situation& situation) {
    const bool is_measured =
        settings_.tuning != nullptr && problem_.sizes == SizeKnowledge::everywhere;
    const TunedRange* range =
        is_measured ? settings_.tuning->find(situation, problem_.native_policy) : nullptr;
    if (range == nullptr) return false;
    Choice choice = resolve(range->selection.at(problem_), problem_);
    if (refusal_here(choice)) return false;
    take(std::move(choice), range->reason, Basis::tuning);
    return true;
  }

  // Whether it decides; else the rows that follow do.
  bool take_preferred(const Evidence& row) {
    const Candidate* preferred = find_candidate(decision_.candidates, row.prefers);
    const bool can_serve = preferred != nullptr && preferred->can_serve();
    if (can_serve && costs_little_enough(*preferred, row, *cheapest())) {
      const bool is_cheapest = preferred == cheapest();
      take(preferred->choice,
           is_cheapest ? cheapest_of_all() + " under the model" : std::string(row.reason),
           Basis::evidence, &row);
    } else if (row.otherwise == Otherwise::next_row) {
      return false;
    } else if (row.otherwise == Otherwise::cheapest && cheapest() != nullptr) {
      take(cheapest()->choice, cheapest_of_all() + " under the model", Basis::evidence, &row);
    } else if (can_serve) {
      take_native("no algorithm was faster where " + std::string(row.prefers) + " costs so much",
                  Basis::evidence, &row);
    } else {
      take_native(preferred == nullptr ? "there is no other" : preferred->refusal, Basis::evidence,
                  &row);
    }
    return true;
  }

  void take_by_model() {
    const std::optional<double> native_s = decision_.native_s();
    const Candidate* other = cheapest();
    if (other == nullptr) {
      take_native("there is no other", Basis::model);
    } else if (!native_s || *native_s <= worthwhile_gain * *other->predicted_s) {
      take_native("no algorithm is clearly faster under the model", Basis::model);
    } else {
      take(other->choice, cheapest_of_all() + " under the model", Basis::model);
    }
  }

  // Of what the row prefers, over native; 1 where nobody knows.
  double predicted_gain(const Evidence& row) const {
    const Candidate* preferred = find_candidate(decision_.candidates, row.prefers);
    const std::optional<double> native_s = decision_.native_s();
    const bool is_priced = preferred != nullptr && preferred->can_serve() && native_s;
    return is_priced ? *native_s / *preferred->predicted_s : 1;
  }

  double latencies_to_gain() const {
    const std::optional<double> native_s = decision_.native_s();
    if (!native_s || cheapest() == nullptr) return 0;
    const double gain_s = *native_s - worthwhile_gain * *cheapest()->predicted_s;
    return gain_s <= 0 ? 0 : gain_s / problem_.network.latency_s;
  }

  const Candidate* cheapest() const { return anabranch::cheapest_of(decision_.candidates); }

  std::string cheapest_of_all() const {
    const auto count = std::ranges::count_if(decision_.candidates, [](const Candidate& one) {
      return one.can_serve() && !one.choice.algorithm->is_native();
    });
    return "the cheapest of " + std::to_string(count);
  }

  void finish(bool is_settled) {
    const auto& [algorithm, values] = decision_.choice;
    decision_.is_native = algorithm->is_native();
    if (algorithm->blocks != nullptr) decision_.blocks = algorithm->blocks(problem_, values);
    const bool is_somewhere = asked_.nodes.count > 0 && is_known(asked_.network);
    decision_.needs_network = !is_settled && !is_somewhere;
    if (is_somewhere && !is_settled) decision_.link_probe_bytes = link_probe_bytes();
    // Of choices that were made for another network, on the one that is there.
    if (is_fixed_) price_again();
    const Candidate* chosen = find_candidate(decision_.candidates, algorithm->id);
    if (chosen != nullptr && chosen->choice == decision_.choice) {
      decision_.predicted_s = chosen->predicted_s;
    } else if (is_known(asked_.network) && algorithm->cost_s != nullptr) {
      decision_.predicted_s = price_s(decision_.choice, with_places(asked_));
    }
  }

  // Not where the user has said what the network or the choice is; for a broadcast that stays with
  // the MPI a tree may be found, for others nothing.
  std::int64_t link_probe_bytes() const {
    const bool is_asked_for = !asked_.links_known && !settings_.reproducible && !is_fixed_ &&
                              asked_.sizes == SizeKnowledge::everywhere &&
                              !settings_.time_per_byte_s && decision_.basis != Basis::settings;
    if (!is_asked_for || (decision_.is_native && collective_ != Collective::bcast)) return 0;
    return platform::further_probe_bytes(asked_.size_bytes, asked_.nodes.count,
                                         asked_.network.latency_s, asked_.network.time_per_byte_s);
  }

  void price_again() {
    if (!is_known(asked_.network)) {
      decision_.candidates.clear();
      return;
    }
    const Problem placed = with_places(asked_);
    for (Candidate& candidate : decision_.candidates) {
      const bool has_price = candidate.can_serve() && candidate.choice.algorithm->cost_s != nullptr;
      if (has_price) candidate.predicted_s = price_s(candidate.choice, placed);
    }
    decision_.candidates.back().predicted_s = native_price_s(collective_, placed);
  }

  Collective collective_;
  const Problem& asked_;
  const Settings& settings_;
  bool is_fixed_;
  Problem problem_;
  Decision decision_;
};

// The first and the last size of each range: between them parameters change one way only.
std::vector<std::int64_t> telling_sizes(const SizeRanges& ranges) {
  constexpr std::int64_t largest = std::int64_t{1} << 50;
  std::vector<std::int64_t> sizes = {1, largest};
  for (const SizeRange& range : ranges.ranges()) {
    for (const std::int64_t bound : {range.first_bytes, range.end_bytes}) {
      if (bound <= 1 || bound > largest) continue;
      sizes.push_back(bound - 1);
      sizes.push_back(bound);
    }
  }
  return sizes;
}

// Whether another choice than that for no bytes is made for some size.
bool depends_on_size(const Choice& choice, Collective collective, Problem problem,
                     const Settings& settings) {
  return std::ranges::any_of(telling_sizes(settings.selection(collective)), [&](std::int64_t size) {
    problem.size_bytes = size;
    return Deciding(collective, problem, settings).decide().choice != choice;
  });
}

}  // namespace

bool is_announced(const Problem& problem) {
  return problem.sizes == SizeKnowledge::own_buffers && problem.size_bytes > 0;
}

Decision decide(Collective collective, const Problem& problem, const Settings& settings) {
  Decision decision = Deciding(collective, problem, settings).decide();
  const bool only_root_knows = collective == Collective::scatter &&
                               problem.sizes == SizeKnowledge::own_buffers &&
                               !is_announced(problem);
  const bool has_messages = decision.choice.algorithm->serves_any_group();
  decision.has_announced_size = only_root_knows && has_messages &&
                                depends_on_size(decision.choice, collective, problem, settings);
  return decision;
}

const Candidate* Decision::runner_up() const {
  const Candidate* other = cheapest_of(candidates, {&choice.algorithm, 1});
  if (is_native || candidates.empty()) return other;
  const Candidate& native = candidates.back();
  const bool is_native_next =
      native.predicted_s && (other == nullptr || *native.predicted_s < *other->predicted_s);
  return is_native_next ? &native : other;
}

}  // namespace anabranch
