// The broadcast algorithms of paper A's model, as policies of the fluid simulator (fluid.hpp).
//
// They have the ids of the registry (algorithms/registry), where these run on real MPI; nearopt and
// longest_prefix exist here only. Sizes, segments and latencies do not: paper A's assumptions are
// that a message can be forwarded from its first bit on, and that control messages take no time.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "model/fluid.hpp"

namespace anabranch::fluid {

struct Algorithm {
  std::string_view id;
  std::string_view summary;
  std::string_view source;  // paper and section
  bool is_blocking = true;  // the models that it is made for
  bool is_nonblocking = true;
  bool is_offline = false;  // it knows all arrivals beforehand
  std::unique_ptr<Policy> (*make)(std::span<const double> arrivals) = nullptr;

  bool suits(Model model) const { return model == Model::blocking ? is_blocking : is_nonblocking; }
};

std::span<const Algorithm> all_algorithms();

// Throws std::invalid_argument that lists the valid ids.
const Algorithm& find_algorithm(std::string_view id);

// Throws std::invalid_argument also where the algorithm is not made for the model.
Outcome simulate(const Algorithm& algorithm, std::span<const double> arrivals, Model model,
                 bool trace = false);

// Trees that are known before anybody arrives (nearopt: to whoever knows when they will).
// Children are served in the order given; a process leaves when its children have everything.
std::unique_ptr<Policy> make_flat(std::span<const double> arrivals);
std::unique_ptr<Policy> make_chain(std::span<const double> arrivals);
std::unique_ptr<Policy> make_binomial(std::span<const double> arrivals);
std::unique_ptr<Policy> make_nearopt(std::span<const double> arrivals);

// What reacts to arrivals.
std::unique_ptr<Policy> make_rounds(std::span<const double> arrivals);
std::unique_ptr<Policy> make_baton(std::span<const double> arrivals);
std::unique_ptr<Policy> make_longest_prefix(std::span<const double> arrivals);

}  // namespace anabranch::fluid
