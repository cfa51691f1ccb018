#include "select/decision.hpp"

#include <algorithm>
#include <vector>

#include "algorithms/cheapest.hpp"
#include "algorithms/preference.hpp"
#include "algorithms/size.hpp"
#include "select/quantity.hpp"

namespace anabranch {
namespace {

// Messages that a link carries in fewer than this many latencies go to native: the number of rounds
// alone decides, and every MPI has a tree for that.
constexpr double native_below_latencies = 2;
// With two ranks every broadcast is one message.
constexpr std::int32_t native_up_to_ranks = 2;

bool is_known(const Network& network) {
  return network.latency_s > 0 || network.time_per_byte_s > 0;
}

std::string cheapest_of(const Offers& offers) {
  return "the cheapest of " + std::to_string(offers.count);
}

std::string too_short(double wire_s, const Network& network) {
  return "the message is short: " + format_duration(wire_s) + " on the wire, with a latency of " +
         format_duration(network.latency_s);
}

std::optional<std::string> why_native(Collective collective, const Problem& problem,
                                      const Offers& offers) {
  const Preference* preference = preference_of(collective);
  if (preference == nullptr) return std::string(name_of(collective)) + " runs others when set";
  const Network& network = problem.network;
  const double wire_s = static_cast<double>(problem.size_bytes) * network.time_per_byte_s;
  if (!is_known(network)) return "the network is not known";
  if (problem.single_node) return "all ranks are on one node, where the MPI has shared memory";
  if (problem.ranks <= native_up_to_ranks) return "one message is all there is to do";
  if (problem.size_bytes <= preference->native_up_to_bytes) {
    return "messages up to " + format_size(preference->native_up_to_bytes) +
           " are too short to cut";
  }
  if (wire_s < native_below_latencies * network.latency_s) return too_short(wire_s, network);
  if (collective == Collective::bcast) return std::nullopt;
  // Not measured yet.
  if (problem.nodes.largest > 1) return "several ranks share a node";
  if (!problem.equal_blocks) return "parts have unequal sizes";
  if (offers.count == 0) return "there is no other";
  const bool is_measured = offers.preferred().choice.algorithm == offers.measured.choice.algorithm;
  return preference->or_native && !is_measured ? std::optional(too_short(wire_s, network))
                                               : std::nullopt;
}

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

// Fewer slices do not fill the trees of a plan.
constexpr std::int64_t fewest_planned_slices = 8;

bool goes_as_planned(Collective collective, const Problem& problem) {
  const std::int64_t slice_bytes = problem.planned.slice_bytes;
  return collective == Collective::bcast && slice_bytes > 0 && !problem.single_node &&
         problem.size_bytes >= fewest_planned_slices * slice_bytes;
}

// Where a collective has one algorithm of that form.
const Algorithm* only_one(Collective collective, Algorithm::Form form) {
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective == collective && algorithm->form == form) return algorithm;
  }
  return nullptr;
}

Choice native_for(Collective collective) {
  return {only_one(collective, Algorithm::Form::native), {}};
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
  if (is_fixed && choice.algorithm->form == Algorithm::Form::nodes) {
    return std::string(choice.algorithm->id) +
           " goes by where ranks are, and results are to be reproducible";
  }
  if (is_told(problem) && choice.algorithm->form != Algorithm::Form::schedule) {
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

// The rule: native where the message is short, else the cheapest schedule under the model, unless
// the one that was the fastest in measurements costs little more.
void choose_by_rule(Decision& decision, Collective collective, const Problem& problem,
                    const Offers& offers) {
  if (goes_as_planned(collective, problem)) {
    decision.reason = "planned";
    choose(decision, with_defaults(*only_one(collective, Algorithm::Form::plan), problem), problem);
    return;
  }
  if (auto why = why_native(collective, problem, offers)) {
    decision.reason = std::move(*why);
    choose(decision, native_for(collective), problem);
    return;
  }
  const Choice& preferred = offers.preferred().choice;
  decision.reason =
      preferred.algorithm == offers.cheapest.choice.algorithm
          ? cheapest_of(offers) + " under the model"
          : "fast when measured, and nearly as cheap under the model as " + cheapest_of(offers);
  choose(decision, preferred, problem);
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
    choose_by_rule(decision, collective, problem, offers);
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
  const bool has_messages = decision.choice.algorithm->form == Algorithm::Form::schedule;
  decision.is_led = only_root_knows && has_messages &&
                    depends_on_size(decision.choice, collective, problem, settings);
  return decision;
}

bool stays_native(Collective collective, std::int64_t size_bytes, const Settings& settings) {
  if (settings.disable) return true;
  const Selection* selection = settings.selection(collective).at(size_bytes);
  if (selection != nullptr) return selection->algorithm->form == Algorithm::Form::native;
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
  return std::ranges::all_of(ranges, [](const SizeRange& range) {
    return range.selection.algorithm->form == Algorithm::Form::native;
  });
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
