// The broadcast algorithms of paper A's model, as policies of the fluid simulator (fluid.hpp).
//
// What they are is said in the registry (algorithms/registry), where they run on real MPI; here is
// what they do in this model, and in which of its two forms. Sizes, segments and latencies do not
// exist in it: paper A's assumptions are that a message can be forwarded from its first bit on, and
// that control messages take no time.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "model/fluid.hpp"

namespace anabranch::fluid {

// Of an algorithm that exists in this model only.
struct Description {
  std::string_view id;
  std::string_view summary;
  std::string_view source;  // paper and section
};

struct Algorithm {
  const anabranch::Algorithm* registered = nullptr;  // its descriptor; null: see `own`
  Description own = {};
  bool is_blocking = true;  // the models that it is made for
  bool is_nonblocking = true;
  bool is_offline = false;  // it knows all arrivals beforehand
  // Null: it works in blocks, so this model cannot follow it. Its schedule can be simulated.
  std::unique_ptr<Policy> (*make)(std::span<const double> arrivals) = nullptr;

  Description description() const {
    if (registered == nullptr) return own;
    return {registered->id, registered->summary, registered->source};
  }
  std::string_view id() const { return description().id; }
  bool suits(Model model) const { return model == Model::blocking ? is_blocking : is_nonblocking; }
  bool works_in_blocks() const { return make == nullptr; }
};

std::span<const Algorithm> all_algorithms();

// Throws std::invalid_argument that lists the valid ids.
const Algorithm& find_algorithm(std::string_view id);

// Throws std::invalid_argument also where the algorithm is not made for the model, or works in
// blocks.
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
