#include "bindings/problem.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "algorithms/algorithm.hpp"
#include "select/policy_of_mpi.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

void bind_collectives(nb::module_& module) {
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
}

void bind_network(nb::module_& module) {
  nb::class_<Network>(module, "Network", "Latency (s), time per byte (s/B) and eager limit (B).")
      .def(
          "__init__",
          [](Network* self, double latency_s, double time_per_byte_s,
             std::int64_t eager_limit_bytes, double overhead_s, double handshake_s,
             double latency_within_nodes_s, double time_per_byte_within_nodes_s, double gap_s,
             double memory_time_per_byte_s, double ports_a_node) {
            new (self) Network{latency_s,
                               time_per_byte_s,
                               eager_limit_bytes,
                               overhead_s,
                               handshake_s,
                               latency_within_nodes_s,
                               time_per_byte_within_nodes_s,
                               gap_s,
                               memory_time_per_byte_s,
                               ports_a_node};
          },
          "latency_s"_a = 0.0, "time_per_byte_s"_a = 0.0,
          "eager_limit_bytes"_a = Network{}.eager_limit_bytes, "overhead_s"_a = 0.0,
          "handshake_s"_a = 0.0, "latency_within_nodes_s"_a = Network{}.latency_within_nodes_s,
          "time_per_byte_within_nodes_s"_a = Network{}.time_per_byte_within_nodes_s,
          "gap_s"_a = 0.0, "memory_time_per_byte_s"_a = 0.0, "ports_a_node"_a = 1.0)
      .def_prop_ro("with_overhead", &Network::with_overhead,
                   "Messages take as long, but keep either rank busy for the measured overhead "
                   "only, or for an eighth of the latency where nobody measured it.")
      .def_rw("measured_overhead_s", &Network::measured_overhead_s,
              "Part of the latency; 0: nobody measured it.")
      .def_rw("latency_s", &Network::latency_s)
      .def_rw("time_per_byte_s", &Network::time_per_byte_s)
      .def_rw("eager_limit_bytes", &Network::eager_limit_bytes)
      .def_rw("overhead_s", &Network::overhead_s, "Of a message beside its latency.")
      .def_rw("handshake_s", &Network::handshake_s,
              "Of a message above the eager limit; 0: not known.")
      .def_rw("latency_within_nodes_s", &Network::latency_within_nodes_s)
      .def_rw("time_per_byte_within_nodes_s", &Network::time_per_byte_within_nodes_s)
      .def_rw("gap_s", &Network::gap_s,
              "How long a message keeps its ranks from the next one; 0: not known.")
      .def_rw("memory_time_per_byte_s", &Network::memory_time_per_byte_s,
              "Of all messages within a node together; 0: no limit besides that of each.")
      .def_rw("ports_a_node", &Network::ports_a_node,
              "How many messages a node sends, and receives, at full speed at once.");
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

}  // namespace

void bind_problem(nb::module_& module) {
  bind_collectives(module);
  bind_network(module);
  bind_places(module);
  nb::class_<Problem>(module, "Problem", "What all ranks of a call know alike.")
      .def(
          "__init__",
          [](Problem* self, std::int32_t ranks, std::int64_t size_bytes, const Network& network,
             SizeKnowledge sizes, bool equal_blocks, bool commutative, std::int32_t node_count,
             std::int32_t largest_node, const Places* places, const std::string& native_policy,
             std::optional<bool> links_differ, bool any_order, bool is_balanced, bool in_blocks) {
            if (ranks < 1) throw std::invalid_argument("a problem needs at least one rank");
            if (size_bytes < 0) throw std::invalid_argument("a size cannot be negative");
            new (self) Problem{.ranks = ranks,
                               .size_bytes = size_bytes,
                               .network = network,
                               .sizes = sizes,
                               .equal_blocks = equal_blocks,
                               .commutative = commutative,
                               .any_order = any_order,
                               .nodes = {node_count, largest_node, in_blocks},
                               .native_policy = policy_named(native_policy),
                               .links_known = links_differ.has_value(),
                               .links_differ = links_differ.value_or(false),
                               .is_balanced = is_balanced};
            if (places == nullptr) return;
            self->nodes = node_counts(*places);
            self->planned = planned_trees(*places);
          },
          "ranks"_a, "size_bytes"_a = 0, "network"_a = Network{},
          "sizes"_a = SizeKnowledge::everywhere, "equal_blocks"_a = true, "commutative"_a = true,
          "node_count"_a = 0, "largest_node"_a = 0, "places"_a = nb::none(), "native_policy"_a = "",
          "links_differ"_a = nb::none(), "any_order"_a = true, "is_balanced"_a = false,
          "in_blocks"_a = true,
          "places: of the ranks, in place of node_count and largest_node. native_policy: of the "
          "MPI beneath, as in 'mpich5'; empty where it is not known. links_differ: as measured; "
          "None: nobody measured them. any_order: operands may be combined in another order in "
          "each run. is_balanced: all ranks came together to earlier calls like this one. "
          "in_blocks: the ranks of each node follow one another.")
      .def_ro("ranks", &Problem::ranks)
      .def_ro("size_bytes", &Problem::size_bytes)
      .def_ro("network", &Problem::network)
      .def_ro("sizes", &Problem::sizes)
      .def_ro("equal_blocks", &Problem::equal_blocks)
      .def_ro("commutative", &Problem::commutative)
      .def_ro("any_order", &Problem::any_order)
      .def_ro("is_balanced", &Problem::is_balanced)
      .def_prop_ro("native_policy",
                   [](const Problem& self) { return std::string(self.native_policy); })
      .def_prop_ro(
          "node_count", [](const Problem& self) { return self.nodes.count; },
          "0: nobody knows where ranks are.")
      .def_prop_ro("largest_node", [](const Problem& self) { return self.nodes.largest; })
      .def_prop_ro("part_bytes", &Problem::part_bytes);
}

}  // namespace anabranch
