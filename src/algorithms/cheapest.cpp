#include "algorithms/cheapest.hpp"

#include <utility>

#include "algorithms/preference.hpp"

namespace anabranch {
namespace {

// How sums are rounded may differ between machines, and must not decide.
constexpr double equal_within = 1e-9;

bool is_cheaper(const Offer& offer, const Offer& than) {
  return offer.predicted_s < than.predicted_s * (1 - equal_within);
}

}  // namespace

const Offer& Offers::preferred() const {
  const bool costs_little = measured.predicted_s <= measured_may_cost * cheapest.predicted_s;
  return costs_little ? measured : cheapest;
}

Offers offers_for(Collective collective, const Problem& problem, const Candidate& candidate) {
  Offers offers;
  const Preference* preference = preference_of(collective);
  if (preference != nullptr) offers.measured_may_cost = preference->may_cost;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective != collective || !algorithm->serves_any_group() ||
        algorithm->cost_s == nullptr) {
      continue;
    }
    auto choice = candidate(*algorithm);
    if (!choice || refusal(*choice, problem)) continue;
    ++offers.count;
    const double predicted_s = algorithm->cost_s(problem, choice->values);
    Offer offer{*std::move(choice), predicted_s};
    if (preference != nullptr && algorithm->id == preference->id) offers.measured = offer;
    if (is_cheaper(offer, offers.cheapest)) {
      offers.second = std::exchange(offers.cheapest, std::move(offer));
    } else if (is_cheaper(offer, offers.second)) {
      offers.second = std::move(offer);
    }
  }
  return offers;
}

Offers offers_for(Collective collective, const Problem& problem) {
  return offers_for(collective, problem, [&](const Algorithm& algorithm) {
    return std::optional(with_defaults(algorithm, problem));
  });
}

}  // namespace anabranch
