#include "select/decision.hpp"
#include "select/quantity.hpp"

namespace anabranch {

std::string describe(const Decision& decision) {
  const auto with_time = [](const Choice& choice, const std::optional<double>& predicted_s) {
    return text_of(choice) + (predicted_s ? ", predicted " + format_duration(*predicted_s) : "");
  };
  std::string text = decision.is_native ? text_of(decision.choice)
                                        : with_time(decision.choice, decision.predicted_s);
  text += " (" + decision.reason + ")";
  if (const Candidate* other = decision.runner_up()) {
    text += "; runner-up " + with_time(other->choice, other->predicted_s);
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
