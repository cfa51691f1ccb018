#include "model/fluid_algorithms.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace anabranch::fluid {
namespace {

constexpr std::array algorithms{
    Algorithm{.id = "bcast/flat",
              .summary = "the root sends to one after the other, by rank",
              .source = "paper A, section 3.3",
              .make = make_flat},
    Algorithm{.id = "bcast/chain",
              .summary = "each forwards to the next rank what it receives (linear_p)",
              .source = "paper A, section 3.3",
              .make = make_chain},
    Algorithm{.id = "bcast/binomial",
              .summary = "whole messages, the distance doubles",
              .source = "paper A, section 3.3",
              .make = make_binomial},
    Algorithm{.id = "bcast/nearopt",
              .summary = "a chain in the order of arrivals, which it knows beforehand",
              .source = "paper A, section 3.2, lemma 1",
              .is_offline = true,
              .make = make_nearopt},
    Algorithm{.id = "bcast/arrival_b",
              .summary = "rounds, each to all that have arrived",
              .source = "paper A, section 4, figure 5",
              .is_nonblocking = false,
              .make = make_rounds},
    Algorithm{.id = "bcast/arrival_nb",
              .summary = "rounds, each to all that have arrived, or to one that has not",
              .source = "paper A, section 4, figure 4",
              .is_blocking = false,
              .make = make_rounds},
    Algorithm{.id = "bcast/flat_nb",
              .summary = "the root sends to one after the other, there or not",
              .source = "paper A, section 5",
              .is_blocking = false,
              .make = make_flat},
    Algorithm{.id = "bcast/baton",
              .summary = "each pulls from the one that arrived before it, then from the root",
              .source = "pulling in the order of arrival; nearopt of paper A, on line",
              .is_nonblocking = false,
              .make = make_baton},
    Algorithm{.id = "bcast/longest_prefix",
              .summary = "from who has more to who has less, the last to the absent",
              .source = "nearopt of paper A, on line, non-blocking",
              .is_blocking = false,
              .make = make_longest_prefix},
};

std::string valid_ids(const Model* model) {
  std::string ids;
  for (const Algorithm& algorithm : algorithms) {
    if (model && !algorithm.suits(*model)) continue;
    if (!ids.empty()) ids += ", ";
    ids += algorithm.id;
  }
  return ids;
}

}  // namespace

std::span<const Algorithm> all_algorithms() { return algorithms; }

const Algorithm& find_algorithm(std::string_view id) {
  for (const Algorithm& algorithm : algorithms) {
    if (algorithm.id == id) return algorithm;
  }
  throw std::invalid_argument("the model has no algorithm '" + std::string(id) + "': give " +
                              valid_ids(nullptr));
}

Outcome simulate(const Algorithm& algorithm, std::span<const double> arrivals, Model model,
                 bool trace) {
  if (!algorithm.suits(model)) {
    const char* name = model == Model::blocking ? "blocking" : "non-blocking";
    throw std::invalid_argument("'" + std::string(algorithm.id) + "' is not made for the " + name +
                                " model: give " + valid_ids(&model));
  }
  check_arrivals(arrivals);
  const std::unique_ptr<Policy> policy = algorithm.make(arrivals);
  return simulate(*policy, arrivals, model, trace);
}

}  // namespace anabranch::fluid
