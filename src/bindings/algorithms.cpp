#include "bindings/algorithms.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <tuple>

#include "algorithms/algorithm.hpp"
#include "algorithms/circulant_schedule.hpp"
#include "algorithms/instantiate.hpp"
#include "algorithms/size.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

[[noreturn]] void refuse(const Algorithm& algorithm, const std::string& what) {
  throw std::invalid_argument(std::string(algorithm.id) + " " + what);
}

void check_ranks(const Algorithm& algorithm, std::int32_t ranks) {
  if (!algorithm.runs_on(ranks)) {
    refuse(algorithm, "cannot run on " + std::to_string(ranks) + " ranks: valid are " +
                          std::to_string(algorithm.minimum_ranks) + " to " +
                          std::to_string(algorithm.maximum_ranks));
  }
}

// Values not given are the defaults for the problem.
std::vector<std::int64_t> complete(const Algorithm& algorithm, const Problem& problem,
                                   const std::optional<std::vector<std::int64_t>>& values) {
  if (!values) return with_defaults(algorithm, problem).values;
  if (values->size() != algorithm.parameters.size()) {
    refuse(algorithm, "takes " + std::to_string(algorithm.parameters.size()) +
                          " parameter values, not " + std::to_string(values->size()));
  }
  for (std::size_t i = 0; i < values->size(); ++i) {
    const Parameter& parameter = algorithm.parameters[i];
    if ((*values)[i] < parameter.minimum || (*values)[i] > parameter.maximum) {
      refuse(algorithm, "takes " + std::string(parameter.name) + " from " +
                            std::to_string(parameter.minimum) + " to " +
                            std::to_string(parameter.maximum));
    }
  }
  return *values;
}

void check_rank_and_blocks(const Algorithm& algorithm, std::int32_t ranks, std::int32_t rank,
                           std::int32_t blocks) {
  if (rank < 0 || rank >= ranks) {
    refuse(algorithm, "has no rank " + std::to_string(rank) + " among " + std::to_string(ranks));
  }
  if (blocks < 1 || blocks > maximum_blocks) {
    refuse(algorithm, "cannot move " + std::to_string(blocks) + " blocks: valid are 1 to " +
                          std::to_string(maximum_blocks));
  }
}

Schedule generate(const Algorithm& algorithm, std::int32_t ranks, std::int32_t rank,
                  std::int32_t blocks, const std::optional<std::vector<std::int64_t>>& values,
                  std::int32_t root, bool keeps_operand_order,
                  std::shared_ptr<const Places> places) {
  check_ranks(algorithm, ranks);
  check_rank_and_blocks(algorithm, ranks, rank, blocks);
  check_rank_and_blocks(algorithm, ranks, root, blocks);
  Problem problem;
  problem.ranks = ranks;
  const Group group{ranks, rank, root, keeps_operand_order, std::move(places)};
  return make_schedule(algorithm, group, blocks, complete(algorithm, problem, values));
}

using Offsets = std::vector<std::int32_t>;

std::tuple<std::vector<std::int64_t>, Offsets, Offsets> circulant_offsets(std::int32_t ranks,
                                                                          std::int32_t rank) {
  if (ranks < 1 || rank < 0 || rank >= ranks) throw std::invalid_argument("rank is out of range");
  const Skips skips(ranks);
  const CirculantOffsets offsets(skips, rank);
  std::vector<std::int64_t> distances;
  for (std::int32_t k = 0; k <= skips.count(); ++k) distances.push_back(skips[k]);
  const auto slots = [&](const SlotOffsets& found) {
    return Offsets(found.begin(), found.begin() + skips.count());
  };
  return {distances, slots(offsets.receive), slots(offsets.send)};
}

void bind_descriptors(nb::module_& module) {
  nb::class_<Parameter>(module, "Parameter")
      .def_ro("name", &Parameter::name)
      .def_ro("summary", &Parameter::summary)
      .def_ro("minimum", &Parameter::minimum)
      .def_ro("maximum", &Parameter::maximum)
      .def_ro("is_algorithm", &Parameter::is_algorithm)
      .def_ro("algorithms_of", &Parameter::algorithms_of)
      .def("default_value", [](const Parameter& self, const Problem& problem) {
        return self.default_value(problem);
      });

  auto algorithm = nb::class_<Algorithm>(module, "Algorithm", "A descriptor; see algorithm.hpp.");
  algorithm.def_ro("id", &Algorithm::id)
      .def_ro("summary", &Algorithm::summary)
      .def_ro("source", &Algorithm::source)
      .def_ro("cost", &Algorithm::cost)
      .def_ro("cost_slack", &Algorithm::cost_slack)
      .def_ro("cost_is_bound", &Algorithm::cost_is_bound)
      .def_ro("collective", &Algorithm::collective)
      .def_ro("needs_nodes", &Algorithm::needs_nodes)
      .def_ro("uses_ports_in_turn", &Algorithm::uses_ports_in_turn,
              "Hardly ever do two ranks of a node send at once, or receive.")
      .def_ro("uses_ports_in_turn_in_blocks", &Algorithm::uses_ports_in_turn_in_blocks,
              "The same where the ranks of each node follow one another.")
      .def(
          "share_between_nodes",
          [](const Algorithm& self, const Problem& problem) -> std::optional<double> {
            if (self.share_between_nodes == nullptr) return std::nullopt;
            return self.share_between_nodes(problem);
          },
          "problem"_a,
          "Of the bytes, where the ranks of each node follow one another: the share that leaves "
          "their node. None: it counts as all.")
      .def_ro("may_use_places", &Algorithm::may_use_places,
              "Serves any group, and goes by nodes or the trees of a plan where these are known.")
      .def_ro("needs_plan", &Algorithm::needs_plan)
      .def_prop_ro("is_native", &Algorithm::is_native, "Whether the MPI beneath does it.")
      .def_prop_ro("is_policy", &Algorithm::is_policy, "Whether it picks another entry.")
      .def_prop_ro("is_protocol", &Algorithm::is_protocol,
                   "Whether ranks find out on the way what they do.")
      .def_prop_ro("has_schedule", &Algorithm::has_schedule,
                   "Whether it is known beforehand what all ranks do ..")
      .def_prop_ro("serves_any_group", &Algorithm::serves_any_group,
                   ".. from the number of ranks alone.")
      .def_ro("minimum_ranks", &Algorithm::minimum_ranks)
      .def_ro("maximum_ranks", &Algorithm::maximum_ranks)
      .def_ro("commutative_only", &Algorithm::commutative_only)
      .def_ro("for_sorted_ranks", &Algorithm::for_sorted_ranks,
              "Takes ranks to come in the order of their numbers, which they get as they came "
              "before.")
      .def_ro("combines_by_arrival", &Algorithm::combines_by_arrival,
              "Combines in the order of arrivals, which may be another one in each run.")
      .def_ro("equal_blocks_only", &Algorithm::equal_blocks_only)
      .def_ro("knowledge", &Algorithm::knowledge)
      .def_prop_ro(
          "parameters",
          [](const Algorithm& self) {
            std::vector<const Parameter*> found;
            for (const Parameter& parameter : self.parameters) found.push_back(&parameter);
            return found;
          },
          nb::rv_policy::reference)
      .def("runs_on", &Algorithm::runs_on, "ranks"_a)
      .def("generate", &generate, "ranks"_a, "rank"_a, "blocks"_a, "values"_a = nb::none(),
           nb::kw_only(), "root"_a = 0, "keeps_operand_order"_a = false, "places"_a = nb::none(),
           "The schedule of one rank, relative to the root. The order of operands is that of "
           "absolute ranks.")
      .def(
          "choose",
          [](const Algorithm& self, const Problem& problem) {
            if (!self.is_policy()) refuse(self, "is not a policy");
            return resolve({&self, {}}, problem);
          },
          "problem"_a, "What a policy picks.")
      .def("__repr__",
           [](const Algorithm& self) { return "<Algorithm " + std::string(self.id) + ">"; });
}

void bind_choices(nb::module_& module) {
  nb::class_<Choice>(module, "Choice", "An algorithm with values for its parameters.")
      .def(
          "__init__",
          [](Choice* self, const Algorithm& algorithm, std::vector<std::int64_t> values) {
            auto checked = complete(algorithm, Problem{}, std::move(values));
            new (self) Choice{&algorithm, std::move(checked)};
          },
          "algorithm"_a, "values"_a)
      .def_prop_ro(
          "algorithm", [](const Choice& self) { return self.algorithm; }, nb::rv_policy::reference)
      .def_ro("values", &Choice::values)
      .def(
          "blocks",
          [](const Choice& self, const Problem& problem) {
            if (self.algorithm->blocks == nullptr) refuse(*self.algorithm, "cuts no blocks itself");
            return self.algorithm->blocks(problem, self.values);
          },
          "problem"_a, "Into how many blocks the message is cut.")
      .def(
          "cost_s",
          [](const Choice& self, const Problem& problem) -> std::optional<double> {
            if (self.algorithm->cost_s == nullptr) return std::nullopt;
            return self.algorithm->cost_s(problem, self.values);
          },
          "problem"_a, "Time under the one-port model, s; None where it is not known.");
  nb::class_<Selection>(module, "Selection", "An algorithm with some parameters fixed.")
      .def_prop_ro(
          "algorithm", [](const Selection& self) { return self.algorithm; },
          nb::rv_policy::reference)
      .def_ro("fixed", &Selection::fixed, "Pairs of parameter index and value.")
      .def("at", &Selection::at, "problem"_a, "The choice, the other values at their defaults.")
      .def("text", &Selection::text, "What parse_selection reads back.");
}

}  // namespace

void bind_algorithms(nb::module_& module) {
  bind_descriptors(module);
  bind_choices(module);
  module.def(
      "all_algorithms",
      [] {
        const auto all = all_algorithms();
        return std::vector<const Algorithm*>(all.begin(), all.end());
      },
      nb::rv_policy::reference, "All descriptors, ordered by id.");
  module.def("find_algorithm", &find_algorithm, "id"_a, nb::rv_policy::reference,
             "The descriptor, or None.");
  module.def("refusal", &refusal, "choice"_a, "problem"_a,
             "Why the choice cannot serve the problem, or None.");
  module.def("with_defaults", &with_defaults, "algorithm"_a, "problem"_a);
  module.def("resolve", &resolve, "choice"_a, "problem"_a, "Follows policies to what they pick.");
  module.def("parse_selection", &parse_selection, "collective"_a, "text"_a,
             "Reads \"bcast/chain:segment=4KiB\". ValueError says what is valid.");
  module.attr("MAXIMUM_BLOCKS") = maximum_blocks;
  module.def("circulant_offsets", &circulant_offsets, "ranks"_a, "rank"_a,
             "Skips, receive offsets and send offsets; see circulant_schedule.hpp.");
  module.def("parse_size", &parse_size, "text"_a, "Bytes of \"64k\", \"4KiB\", ..");
  module.def("format_size", &format_size, "size_bytes"_a);
  module.def("format_value", &format_value, "parameter"_a, "value"_a,
             "What parse_selection reads back as the value of the parameter.");
}

}  // namespace anabranch
