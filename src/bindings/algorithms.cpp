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
#include "algorithms/cutoff.hpp"
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

void bind_problem(nb::module_& module) {
  nb::enum_<Collective> collective(module, "Collective");
  for (const Collective each : all_collectives()) {
    collective.value(std::string(name_of(each)).c_str(), each);
  }
  module.def("is_rooted", &is_rooted, "collective"_a, "Whether one rank is special.");
  module.def("combines", &combines, "collective"_a,
             "Whether contributions of ranks are combined, rather than moved only.");
  module.def("has_parts", &has_parts, "collective"_a,
             "Whether the larger buffer is of parts, one per rank.");
  nb::enum_<SizeKnowledge>(module, "SizeKnowledge")
      .value("everywhere", SizeKnowledge::everywhere)
      .value("own_buffers", SizeKnowledge::own_buffers);
  nb::class_<Network>(module, "Network", "Latency (s), time per byte (s/B) and eager limit (B).")
      .def(
          "__init__",
          [](Network* self, double latency_s, double time_per_byte_s,
             std::int64_t eager_limit_bytes, double overhead_s, double handshake_s,
             double latency_within_nodes_s, double time_per_byte_within_nodes_s) {
            new (self) Network{
                latency_s,   time_per_byte_s,        eager_limit_bytes,           overhead_s,
                handshake_s, latency_within_nodes_s, time_per_byte_within_nodes_s};
          },
          "latency_s"_a = 0.0, "time_per_byte_s"_a = 0.0,
          "eager_limit_bytes"_a = Network{}.eager_limit_bytes, "overhead_s"_a = 0.0,
          "handshake_s"_a = 0.0, "latency_within_nodes_s"_a = Network{}.latency_within_nodes_s,
          "time_per_byte_within_nodes_s"_a = Network{}.time_per_byte_within_nodes_s)
      .def_rw("latency_s", &Network::latency_s)
      .def_rw("time_per_byte_s", &Network::time_per_byte_s)
      .def_rw("eager_limit_bytes", &Network::eager_limit_bytes)
      .def_rw("overhead_s", &Network::overhead_s, "Of a message beside its latency.")
      .def_rw("handshake_s", &Network::handshake_s,
              "Of a message above the eager limit; 0: not known.")
      .def_rw("latency_within_nodes_s", &Network::latency_within_nodes_s)
      .def_rw("time_per_byte_within_nodes_s", &Network::time_per_byte_within_nodes_s);
  nb::class_<Problem>(module, "Problem", "What all ranks of a call know alike.")
      .def(
          "__init__",
          [](Problem* self, std::int32_t ranks, std::int64_t size_bytes, const Network& network,
             SizeKnowledge sizes, bool equal_blocks, bool commutative, std::int32_t node_count,
             std::int32_t largest_node, const Places* places) {
            if (ranks < 1) throw std::invalid_argument("a problem needs at least one rank");
            if (size_bytes < 0) throw std::invalid_argument("a size cannot be negative");
            new (self) Problem{.ranks = ranks,
                               .size_bytes = size_bytes,
                               .network = network,
                               .sizes = sizes,
                               .equal_blocks = equal_blocks,
                               .commutative = commutative,
                               .nodes = {node_count, largest_node}};
            if (places == nullptr) return;
            self->nodes = node_counts(*places);
            self->planned = planned_trees(*places);
          },
          "ranks"_a, "size_bytes"_a = 0, "network"_a = Network{},
          "sizes"_a = SizeKnowledge::everywhere, "equal_blocks"_a = true, "commutative"_a = true,
          "node_count"_a = 0, "largest_node"_a = 0, "places"_a = nb::none(),
          "places: of the ranks, in place of node_count and largest_node.")
      .def_ro("ranks", &Problem::ranks)
      .def_ro("size_bytes", &Problem::size_bytes)
      .def_ro("network", &Problem::network)
      .def_ro("sizes", &Problem::sizes)
      .def_ro("equal_blocks", &Problem::equal_blocks)
      .def_ro("commutative", &Problem::commutative)
      .def_prop_ro(
          "node_count", [](const Problem& self) { return self.nodes.count; },
          "0: nobody knows where ranks are.")
      .def_prop_ro("largest_node", [](const Problem& self) { return self.nodes.largest; })
      .def_prop_ro("part_bytes", &Problem::part_bytes);
}

void bind_places(nb::module_& module) {
  nb::class_<Places>(module, "Places", "Where the ranks of a communicator are, by absolute rank.")
      .def(
          "__init__",
          [](Places* self, std::vector<std::int64_t> node_of_rank, const Plan* plan,
             std::vector<std::int32_t> host_of_rank) {
            std::shared_ptr<const Plan> kept;
            if (plan != nullptr) kept = std::make_shared<const Plan>(*plan);
            new (self) Places(std::move(node_of_rank), std::move(kept), std::move(host_of_rank));
          },
          "node_of_rank"_a, "plan"_a = nb::none(), "host_of_rank"_a = std::vector<std::int32_t>{},
          "node_of_rank: numbers that tell nodes apart. host_of_rank: the plan's node of each "
          "rank.")
      .def_prop_ro("fingerprint", &Places::fingerprint, "The same for places that are alike.");
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
  bind_problem(module);
  bind_places(module);
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
  module.def("reduce_scatter_cutoff_bytes", &reduce_scatter_cutoff_bytes, "ranks"_a, "network"_a,
             "Bytes up to which paper D's reduce-scatter for short messages is no slower.");
  module.def("parse_size", &parse_size, "text"_a, "Bytes of \"64k\", \"4KiB\", ..");
  module.def("format_size", &format_size, "size_bytes"_a);
  module.def("format_value", &format_value, "parameter"_a, "value"_a,
             "What parse_selection reads back as the value of the parameter.");
}

}  // namespace anabranch
