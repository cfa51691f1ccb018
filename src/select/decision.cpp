#include "select/decision.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "algorithms/preference.hpp"
#include "algorithms/size.hpp"
#include "select/quantity.hpp"

namespace anabranch {
namespace {

// Messages up to this many bytes go to native on any network: cut into segments of a useful length
// they have too few blocks for a pipeline.
constexpr std::int64_t always_native_bytes = 2048;
// So do messages that a link carries in fewer than this many latencies: the number of rounds alone
// decides, and every MPI has a tree for that.
constexpr double native_below_latencies = 2;
// With two ranks every broadcast is one message.
constexpr std::int32_t native_up_to_ranks = 2;

// The others have no rule before measurements give one.
bool has_rule(Collective collective) { return collective == Collective::bcast; }

std::optional<std::string> why_native(Collective collective, const Problem& problem) {
  if (!has_rule(collective)) return std::string(name_of(collective)) + " runs others when set";
  const Network& network = problem.network;
  const double wire_s = static_cast<double>(problem.size_bytes) * network.time_per_byte_s;
  if (network.latency_s <= 0 && network.time_per_byte_s <= 0) return "the network is not known";
  if (problem.single_node) return "all ranks are on one node, where the MPI has shared memory";
  if (problem.ranks <= native_up_to_ranks) return "one message is all there is to do";
  if (problem.size_bytes <= always_native_bytes) {
    return "messages up to " + format_size(always_native_bytes) + " are too short to cut";
  }
  if (wire_s < native_below_latencies * network.latency_s) {
    return "the message is short: " + format_duration(wire_s) + " on the wire, with a latency of " +
           format_duration(network.latency_s);
  }
  return std::nullopt;
}

// Fewer slices do not fill the trees of a plan.
constexpr std::int64_t fewest_planned_slices = 8;

bool goes_as_planned(Collective collective, const Problem& problem) {
  const std::int64_t slice_bytes = problem.planned.slice_bytes;
  return collective == Collective::bcast && slice_bytes > 0 && !problem.single_node &&
         problem.size_bytes >= fewest_planned_slices * slice_bytes;
}

struct Candidate {
  Choice choice;
  double predicted_s = std::numeric_limits<double>::infinity();
};

struct Best {
  Candidate first;
  Candidate second;
  int count = 0;
};

// The two cheapest schedules; of equals the one whose id comes first.
Best cheapest(Collective collective, const Problem& problem) {
  Best best;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective != collective || algorithm->form != Algorithm::Form::schedule ||
        algorithm->cost_s == nullptr) {
      continue;
    }
    Candidate candidate{with_defaults(*algorithm, problem)};
    if (refusal(candidate.choice, problem)) continue;
    ++best.count;
    candidate.predicted_s = algorithm->cost_s(problem, candidate.choice.values);
    if (candidate.predicted_s < best.first.predicted_s) std::swap(candidate, best.first);
    if (candidate.predicted_s < best.second.predicted_s) std::swap(candidate, best.second);
  }
  return best;
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

void set_runner_up(Decision& decision, const Best& best) {
  const bool first_is_chosen = best.first.choice.algorithm == decision.choice.algorithm;
  const Candidate& other = first_is_chosen ? best.second : best.first;
  if (other.choice.algorithm == nullptr) return;
  decision.runner_up = other.choice;
  decision.runner_up_predicted_s = other.predicted_s;
}

void choose_as_set(Decision& decision, Collective collective, const Selection& selection,
                   const Problem& problem) {
  const std::string id(selection.algorithm->id);
  Choice choice = resolve(selection.at(problem), problem);
  if (auto why_not = refusal(choice, problem)) {
    decision.reason = std::move(*why_not);
    choose(decision, native_for(collective), problem);
    return;
  }
  decision.reason = choice.algorithm == selection.algorithm
                        ? "set by the user"
                        : "what " + id + " picks, set by the user";
  choose(decision, std::move(choice), problem);
}

// The rule: native where the message is short, else the cheapest schedule under the model, unless
// one with few neighbours costs little more.
void choose_by_rule(Decision& decision, Collective collective, const Problem& problem,
                    const Best& best) {
  if (goes_as_planned(collective, problem)) {
    decision.reason = "planned";
    choose(decision, with_defaults(*only_one(collective, Algorithm::Form::plan), problem), problem);
    return;
  }
  auto why = why_native(collective, problem);
  if (!why && best.count == 0) why = "there is no other";
  if (why) {
    decision.reason = std::move(*why);
    choose(decision, native_for(collective), problem);
    return;
  }
  const std::string cheapest_of = "the cheapest of " + std::to_string(best.count);
  decision.reason = cheapest_of + " under the model";
  choose(decision, best.first.choice, problem);
  const Algorithm* calm = find_algorithm(few_neighbours);
  if (calm == nullptr || calm->collective != collective || calm == best.first.choice.algorithm) {
    return;
  }
  Choice choice = with_defaults(*calm, problem);
  if (calm->cost_s(problem, choice.values) > few_neighbours_may_cost * best.first.predicted_s) {
    return;
  }
  decision.reason = "few neighbours, and nearly as cheap under the model as " + cheapest_of;
  choose(decision, std::move(choice), problem);
}

}  // namespace

Decision decide(Collective collective, const Problem& problem, const Settings& settings) {
  Decision decision;
  const Best best = cheapest(collective, problem);
  const Selection* selection = settings.selection(collective).at(problem.size_bytes);
  if (settings.disable) {
    decision.reason = "ANABRANCH_DISABLE is set";
    choose(decision, native_for(collective), problem);
  } else if (selection != nullptr) {
    choose_as_set(decision, collective, *selection, problem);
  } else {
    choose_by_rule(decision, collective, problem, best);
  }
  set_runner_up(decision, best);
  return decision;
}

bool stays_native(Collective collective, std::int64_t size_bytes, const Settings& settings) {
  if (settings.disable) return true;
  const Selection* selection = settings.selection(collective).at(size_bytes);
  if (selection != nullptr) return selection->algorithm->form == Algorithm::Form::native;
  return !has_rule(collective) || size_bytes <= always_native_bytes;
}

bool always_stays_native(Collective collective, const Settings& settings) {
  if (settings.disable) return true;
  const std::vector<SizeRange>& ranges = settings.selection(collective).ranges();
  const bool leaves_none_to_rules =
      ranges.size() == 1 && ranges[0].first_bytes == 0 && ranges[0].end_bytes == SizeRange::no_end;
  if (has_rule(collective) && !leaves_none_to_rules) return false;
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
