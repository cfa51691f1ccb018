#include "model/fluid_algorithms.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "algorithms/descriptors.hpp"

namespace anabranch::fluid {
namespace {

constexpr Description nearopt = {
    .id = "bcast/nearopt",
    .summary = "a chain in the order of arrivals, which it knows beforehand",
    .source = "paper A, section 3.2, lemma 1",
};
constexpr Description longest_prefix = {
    .id = "bcast/longest_prefix",
    .summary = "from who has more to who has less, the last to the absent",
    .source = "nearopt of paper A, online, non-blocking",
};

constexpr std::array algorithms{
    Algorithm{.registered = &bcast_flat, .make = make_flat},
    Algorithm{.registered = &bcast_chain, .make = make_chain},
    Algorithm{.registered = &bcast_binomial, .make = make_binomial},
    Algorithm{.own = nearopt, .is_offline = true, .make = make_nearopt},
    Algorithm{.registered = &bcast_arrival_b, .is_nonblocking = false, .make = make_rounds},
    Algorithm{.registered = &bcast_arrival_nb, .is_blocking = false, .make = make_rounds},
    Algorithm{.registered = &bcast_flat_nb, .is_blocking = false, .make = make_flat},
    Algorithm{.registered = &bcast_baton, .is_nonblocking = false, .make = make_baton},
    Algorithm{.own = longest_prefix, .is_blocking = false, .make = make_longest_prefix},
    Algorithm{.registered = &bcast_scatter_ring_allgather},  // the paper's sca-all
};

std::string valid_ids(const Model* model) {
  std::string ids;
  for (const Algorithm& algorithm : algorithms) {
    if (algorithm.works_in_blocks() || (model && !algorithm.suits(*model))) continue;
    if (!ids.empty()) ids += ", ";
    ids += algorithm.id();
  }
  return ids;
}

}  // namespace

std::span<const Algorithm> all_algorithms() { return algorithms; }

const Algorithm& find_algorithm(std::string_view id) {
  for (const Algorithm& algorithm : algorithms) {
    if (algorithm.id() == id) return algorithm;
  }
  throw std::invalid_argument("the model has no algorithm '" + std::string(id) + "': give " +
                              valid_ids(nullptr));
}

Outcome simulate(const Algorithm& algorithm, std::span<const double> arrivals, Model model,
                 bool trace) {
  if (!algorithm.suits(model)) {
    const char* name = model == Model::blocking ? "blocking" : "non-blocking";
    throw std::invalid_argument("'" + std::string(algorithm.id()) + "' is not made for the " +
                                name + " model: give " + valid_ids(&model));
  }
  if (algorithm.works_in_blocks()) {
    throw std::invalid_argument("'" + std::string(algorithm.id()) +
                                "' works in blocks, which this model has none of");
  }
  check_arrivals(arrivals);
  const std::unique_ptr<Policy> policy = algorithm.make(arrivals);
  return simulate(*policy, arrivals, model, trace);
}

}  // namespace anabranch::fluid
