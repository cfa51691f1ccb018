#include "select/decision.hpp"
#include "select/quantity.hpp"

namespace anabranch {

namespace {

bool is_cheaper(const Candidate& candidate, const Decision& decision) {
  return candidate.predicted_s && decision.predicted_s &&
         anabranch::is_cheaper(*candidate.predicted_s, *decision.predicted_s);
}

// Of one that is cheaper than what is taken, under the model.
std::string why_not_although_cheaper(const Candidate& candidate, const Decision& decision) {
  const Algorithm& algorithm = *candidate.choice.algorithm;
  if (decision.evidence != nullptr) {
    return "cheaper under the model, but evidence goes first (" +
           std::string(decision.evidence->name) + ")";
  }
  if (decision.basis == Basis::tuning) return "cheaper under the model, but tuning goes first";
  if (decision.basis == Basis::fixed_network) {
    return "cheaper here, but not on the network by which reproducible results are chosen";
  }
  if (algorithm.needs_plan) {
    return "cheaper under the model, but trees of a plan are for messages of many slices";
  }
  if (algorithm.is_native()) return "taken only where no algorithm can serve the call";
  if (!decision.is_native) return "cheaper under the model, but evidence prefers what is taken";
  const auto percent = static_cast<int>((worthwhile_gain - 1) * 100 + 0.5);
  return "cheaper under the model, but by no more than " + std::to_string(percent) + " %";
}

}  // namespace

std::string Decision::why_not(const Candidate& candidate) const {
  if (candidate.choice == choice) return {};
  if (!candidate.refusal.empty()) return candidate.refusal;
  if (basis == Basis::settings) return "not what is set";
  if (is_cheaper(candidate, *this)) return why_not_although_cheaper(candidate, *this);
  if (candidate.predicted_s && predicted_s) return "no cheaper under the model";
  return candidate.choice.algorithm->is_native() ? "nobody has published what it costs"
                                                 : "nobody has published what native costs";
}

std::string describe(const Decision& decision) {
  const auto with_time = [](const Choice& choice, const std::optional<double>& predicted_s) {
    return text_of(choice) + (predicted_s ? ", predicted " + format_duration(*predicted_s) : "");
  };
  std::string text = decision.is_native ? "left native: " + decision.reason
                                        : with_time(decision.choice, decision.predicted_s) + " (" +
                                              decision.reason + ")";
  if (const Candidate* other = decision.runner_up()) {
    text += "; runner-up " + with_time(other->choice, other->predicted_s);
    if (is_cheaper(*other, decision)) text += ", " + decision.why_not(*other);
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
