#include "select/decision.hpp"

#include <algorithm>
#include <vector>

#include "algorithms/cheapest.hpp"
#include "algorithms/preference.hpp"
#include "algorithms/size.hpp"
#include "select/quantity.hpp"
#include "select/rule.hpp"

namespace anabranch {
namespace {

// Where results must not depend on what a machine is like, choices are those for this network:
// between Ethernet and what clusters have.
constexpr Network any_network{.latency_s = 2e-5, .time_per_byte_s = 8e-10};

// Data that is only moved arrives the same, whichever way it takes.
bool is_reproducible(Collective collective, const Settings& settings) {
  return settings.reproducible && combines(collective);
}

Problem anywhere(Problem problem) {
  problem.network = any_network;
  problem.single_node = false;
  problem.planned = {};
  problem.nodes = {};
  return problem;
}

void choose(Decision& decision, Choice choice, const Problem& problem) {
  const Algorithm* algorithm = choice.algorithm;
  decision.blocks = 1;
  decision.predicted_s.reset();
  if (algorithm != nullptr && algorithm->blocks != nullptr) {
    decision.blocks = algorithm->blocks(problem, choice.values);
  }
  if (algorithm != nullptr && algorithm->cost_s != nullptr) {
    decision.predicted_s = algorithm->cost_s(problem, choice.values);
  }
  decision.choice = std::move(choice);
}

void set_runner_up(Decision& decision, const Offers& offers) {
  const bool is_chosen = offers.cheapest.choice.algorithm == decision.choice.algorithm;
  const Offer& other = is_chosen ? offers.second : offers.cheapest;
  if (other.choice.algorithm == nullptr) return;
  decision.runner_up = other.choice;
  decision.runner_up_predicted_s = other.predicted_s;
}

constexpr std::string_view too_late =
    "too late for native once a message tells the size that only the root knew";

std::optional<std::string> refusal_here(const Choice& choice, const Problem& problem,
                                        bool is_fixed) {
  if (is_fixed && choice.algorithm->needs_nodes) {
    return std::string(choice.algorithm->id) +
           " goes by where ranks are, and results are to be reproducible";
  }
  if (is_told(problem) && !choice.algorithm->serves_any_group()) {
    return std::string(too_late);
  }
  return refusal(choice, problem);
}

// In place of what cannot serve the call.
void choose_another(Decision& decision, std::string why, Collective collective,
                    const Problem& problem, const Offers& offers) {
  decision.reason = std::move(why);
  if (offers.count == 0 || (!is_known(problem.network) && !is_told(problem))) {
    choose(decision, native_for(collective), problem);
    return;
  }
  decision.reason += "; " + cheapest_of(offers) + " that can";
  choose(decision, offers.preferred().choice, problem);
}

void choose_as_set(Decision& decision, Collective collective, const Selection& selection,
                   const Problem& problem, const Offers& offers, bool is_fixed) {
  const std::string id(selection.algorithm->id);
  Choice choice = resolve(selection.at(problem), problem);
  if (auto why_not = refusal_here(choice, problem, is_fixed)) {
    choose_another(decision, *std::move(why_not), collective, problem, offers);
    return;
  }
  decision.reason = choice.algorithm == selection.algorithm
                        ? "set by the user"
                        : "what " + id + " picks, set by the user";
  choose(decision, std::move(choice), problem);
}

void choose_anywhere(Decision& decision, const Problem& problem, const Offers& offers) {
  decision.reason = "reproducible: " + cheapest_of(offers) + " on a network of " +
                    format_duration(problem.network.latency_s) + " and " +
                    format_bandwidth(1 / problem.network.time_per_byte_s);
  choose(decision, offers.preferred().choice, problem);
}

// Of choices that were made for another network, on the one that is there.
void predict(Decision& decision, const Problem& problem) {
  const auto cost_s = [&](const Choice& choice, std::optional<double>& predicted_s) {
    if (predicted_s) predicted_s = choice.algorithm->cost_s(problem, choice.values);
  };
  cost_s(decision.choice, decision.predicted_s);
  cost_s(decision.runner_up, decision.runner_up_predicted_s);
}

Decision decide_without_lead(Collective collective, const Problem& asked,
                             const Settings& settings) {
  Decision decision;
  const bool is_fixed = is_reproducible(collective, settings);
  const Problem problem = is_fixed ? anywhere(asked) : asked;
  const Offers offers = offers_for(collective, problem);
  const Selection* selection = settings.selection(collective).at(problem.size_bytes);
  if (settings.disable) {
    decision.reason = "ANABRANCH_DISABLE is set";
    choose(decision, native_for(collective), problem);
  } else if (selection != nullptr) {
    choose_as_set(decision, collective, *selection, problem, offers, is_fixed);
  } else if (is_told(problem)) {
    choose_another(decision, std::string(too_late), collective, problem, offers);
  } else if (is_fixed) {
    choose_anywhere(decision, problem, offers);
  } else {
    Ruling ruling = rule(collective, problem, offers);
    decision.reason = std::move(ruling.reason);
    choose(decision, std::move(ruling.choice), problem);
  }
  set_runner_up(decision, offers);
  if (is_fixed) predict(decision, asked);
  return decision;
}

// Where ranges begin and end, and powers of two, between which policies and rules may change.
std::vector<std::int64_t> telling_sizes(const SizeRanges& ranges) {
  constexpr int highest_power = 50;
  std::vector<std::int64_t> sizes;
  for (const SizeRange& range : ranges.ranges()) {
    if (range.first_bytes > 0) sizes.push_back(range.first_bytes);
    if (range.end_bytes != SizeRange::no_end) sizes.push_back(range.end_bytes);
  }
  for (int power = 0; power <= highest_power; ++power) sizes.push_back(std::int64_t{1} << power);
  return sizes;
}

// Whether another choice than that for no bytes is made for some size.
bool depends_on_size(const Choice& choice, Collective collective, Problem problem,
                     const Settings& settings) {
  return std::ranges::any_of(telling_sizes(settings.selection(collective)), [&](std::int64_t size) {
    problem.size_bytes = size;
    return decide_without_lead(collective, problem, settings).choice != choice;
  });
}

}  // namespace

bool is_told(const Problem& problem) {
  return problem.sizes == SizeKnowledge::own_buffers && problem.size_bytes > 0;
}

Decision decide(Collective collective, const Problem& problem, const Settings& settings) {
  Decision decision = decide_without_lead(collective, problem, settings);
  const bool only_root_knows = collective == Collective::scatter &&
                               problem.sizes == SizeKnowledge::own_buffers && !is_told(problem);
  const bool has_messages = decision.choice.algorithm->serves_any_group();
  decision.is_led = only_root_knows && has_messages &&
                    depends_on_size(decision.choice, collective, problem, settings);
  return decision;
}

bool stays_native(Collective collective, std::int64_t size_bytes, const Settings& settings) {
  if (settings.disable) return true;
  const Selection* selection = settings.selection(collective).at(size_bytes);
  if (selection != nullptr) return selection->algorithm->is_native();
  if (is_reproducible(collective, settings)) return false;
  const Preference* preference = preference_of(collective);
  return preference == nullptr || size_bytes <= preference->native_up_to_bytes;
}

bool always_stays_native(Collective collective, const Settings& settings) {
  if (settings.disable) return true;
  const std::vector<SizeRange>& ranges = settings.selection(collective).ranges();
  const bool leaves_none_to_rules =
      ranges.size() == 1 && ranges[0].first_bytes == 0 && ranges[0].end_bytes == SizeRange::no_end;
  const bool may_be_served =
      preference_of(collective) != nullptr || is_reproducible(collective, settings);
  if (may_be_served && !leaves_none_to_rules) return false;
  return std::ranges::all_of(
      ranges, [](const SizeRange& range) { return range.selection.algorithm->is_native(); });
}

std::string describe(const Decision& decision) {
  const auto with_time = [](const Choice& choice, const std::optional<double>& predicted_s) {
    return text_of(choice) + (predicted_s ? ", predicted " + format_duration(*predicted_s) : "");
  };
  std::string text =
      with_time(decision.choice, decision.predicted_s) + " (" + decision.reason + ")";
  if (decision.runner_up.algorithm != nullptr) {
    text += "; runner-up " + with_time(decision.runner_up, decision.runner_up_predicted_s);
  }
  return text;
}

std::string text_of(const Choice& choice) {
  if (choice.algorithm == nullptr) return "";
  Selection selection{choice.algorithm, {}};
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    selection.fixed.emplace_back(i, choice.values[i]);
  }
  return selection.text();
}

}  // namespace anabranch
