#include "bindings/platform.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

#include "platform/arborescence.hpp"
#include "platform/heuristic.hpp"
#include "platform/local_search.hpp"
#include "platform/measured_links.hpp"
#include "platform/node_capacity.hpp"
#include "platform/one_port_schedule.hpp"
#include "platform/packing.hpp"
#include "platform/slice_platform.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

using platform::SlicePlatform;
using platform::Tree;

using Ends = std::pair<std::int32_t, std::int32_t>;
using Shares = std::vector<std::vector<std::pair<std::int32_t, double>>>;

void make_platform(SlicePlatform* self, std::int32_t nodes, const std::vector<Ends>& links,
                   const std::vector<double>& time_s, const std::vector<double>& send_s,
                   std::int32_t resources, const Shares& shares) {
  if (time_s.size() != links.size()) {
    throw std::invalid_argument("time_s has " + std::to_string(time_s.size()) + " values for " +
                                std::to_string(links.size()) + " links");
  }
  std::vector<platform::Link> made;
  made.reserve(links.size());
  for (std::size_t index = 0; index < links.size(); ++index) {
    made.push_back({links[index].first, links[index].second, time_s[index]});
  }
  std::vector<std::vector<platform::Use>> uses(shares.size());
  for (std::size_t index = 0; index < shares.size(); ++index) {
    for (const auto& [resource, share_s] : shares[index]) {
      uses[index].push_back({resource, share_s});
    }
  }
  new (self) SlicePlatform(nodes, std::move(made), send_s, resources, uses);
}

void check_shares(const SlicePlatform& self, const std::vector<Tree>& trees,
                  const std::vector<double>& slices) {
  if (trees.size() != slices.size()) {
    throw std::invalid_argument("there are " + std::to_string(slices.size()) + " shares for " +
                                std::to_string(trees.size()) + " trees");
  }
  for (const Tree& tree : trees) check_tree(self, tree);
}

std::vector<double> loads_s(const SlicePlatform& self, const std::vector<Tree>& trees,
                            const std::vector<double>& slices) {
  check_shares(self, trees, slices);
  std::vector<double> loads(static_cast<std::size_t>(self.resources()), 0);
  for (std::size_t index = 0; index < trees.size(); ++index) {
    self.add_tree(trees[index], slices[index], loads);
  }
  return loads;
}

double routing_period_s(const SlicePlatform& self, const std::vector<std::int32_t>& copies) {
  if (copies.size() != self.link_count()) {
    throw std::invalid_argument("there are " + std::to_string(copies.size()) + " counts for " +
                                std::to_string(self.link_count()) + " links");
  }
  return self.routing_period_s(copies);
}

void bind_slice_platform(nb::module_& module) {
  nb::class_<SlicePlatform>(
      module, "SlicePlatform",
      "A platform priced for slices of one size under one model. A tree names, for each node, the "
      "link over which it receives, -1 for the root.")
      .def("__init__", &make_platform, "nodes"_a, "links"_a, "time_s"_a,
           "send_s"_a = std::vector<double>{}, "resources"_a = 0, "uses"_a = Shares{},
           "Nodes are numbers from 0. links: (source, target); time_s: of a slice over each; "
           "send_s: per node, how long its sender is busy with a slice in the multi-port model, "
           "else 0 or empty; uses: per link the (resource, seconds of it that a slice takes). "
           "Raises ValueError.")
      .def_prop_ro("nodes", &SlicePlatform::nodes)
      .def_prop_ro("links",
                   [](const SlicePlatform& self) {
                     std::vector<Ends> ends;
                     for (const auto& link : self.links()) {
                       ends.emplace_back(link.source, link.target);
                     }
                     return ends;
                   })
      .def_prop_ro("time_s",
                   [](const SlicePlatform& self) {
                     std::vector<double> times_s;
                     for (const auto& link : self.links()) times_s.push_back(link.time_s);
                     return times_s;
                   })
      .def_prop_ro("send_s",
                   [](const SlicePlatform& self) {
                     std::vector<double> times_s;
                     for (std::int32_t node = 0; node < self.nodes(); ++node) {
                       times_s.push_back(self.send_s(node));
                     }
                     return times_s;
                   })
      .def_prop_ro("resources", &SlicePlatform::resources)
      .def(
          "uses",
          [](const SlicePlatform& self, std::int32_t link) {
            if (link < 0 || static_cast<std::size_t>(link) >= self.link_count()) {
              throw nb::index_error("no such link");
            }
            std::vector<std::pair<std::int32_t, double>> found;
            for (const auto& use : self.uses(link)) found.emplace_back(use.resource, use.share_s);
            return found;
          },
          "link"_a, "The (resource, seconds) of a link.")
      .def(
          "period_s",
          [](const SlicePlatform& self, const Tree& tree) {
            check_tree(self, tree);
            return self.period_s(tree);
          },
          "tree"_a, "From one slice to the next: the largest load of a resource, in seconds.")
      .def("routing_period_s", &routing_period_s, "copies"_a,
           "The same where each link carries that many copies of every slice.")
      .def("loads_s", &loads_s, "trees"_a, "slices"_a,
           "Per resource, for so many slices (any numbers) along each tree, in seconds.");
}

void bind_arborescence(nb::module_& module) {
  module.def(
      "minimum_arborescence",
      [](const SlicePlatform& self, std::int32_t root, const std::vector<double>& costs) {
        nb::gil_scoped_release release;
        return platform::minimum_arborescence(self, root, costs);
      },
      "platform"_a, "root"_a, "link_costs"_a,
      "The tree with the least sum of costs, those of links in any unit and of any sign; among "
      "equal ones a shallow one. Raises ValueError naming nodes that the root does not reach.");
}

platform::Routing build_routing(const SlicePlatform& self, std::int32_t root, std::string_view id,
                                const std::optional<std::vector<double>>& load) {
  const nb::gil_scoped_release release;
  return platform::build_routing(id, {self, root, load ? *load : std::span<const double>{}});
}

void bind_heuristics(nb::module_& module) {
  using platform::Heuristic;
  nb::class_<Heuristic>(module, "TreeHeuristic", "A way to one good broadcast tree.")
      .def_ro("id", &Heuristic::id)
      .def_ro("summary", &Heuristic::summary)
      .def_ro("source", &Heuristic::source)
      .def_ro("cost", &Heuristic::cost, "The time it takes; V nodes, E links.")
      .def_prop_ro(
          "models",
          [](const Heuristic& self) {
            return std::vector<std::string_view>(self.models.begin(), self.models.end());
          },
          "Those that it was made for; it gives a tree for every platform.")
      .def_ro("needs_load", &Heuristic::needs_load, "Whether it starts from an optimum's load.");
  module.def(
      "tree_heuristics",
      [] {
        const auto all = platform::all_heuristics();
        return std::vector<const Heuristic*>(all.begin(), all.end());
      },
      nb::rv_policy::reference, "All heuristics, ordered by id.");
  module.def(
      "build_tree",
      [](const SlicePlatform& self, std::int32_t root, std::string_view id,
         const std::optional<std::vector<double>>& load) {
        return build_routing(self, root, id, load).tree;
      },
      "platform"_a, "root"_a, "id"_a, "load"_a = nb::none(),
      "A tree by a heuristic. load: slices per link and unit of time in an optimum of many trees. "
      "Raises ValueError: no such id, nodes out of reach, a load that is missing or does not fit.");
  module.def(
      "build_copies",
      [](const SlicePlatform& self, std::int32_t root, std::string_view id,
         const std::optional<std::vector<double>>& load) {
        auto routing = build_routing(self, root, id, load);
        if (!routing.copies.empty()) return routing.copies;
        routing.copies.assign(self.link_count(), 0);
        for (const std::int32_t link : routing.tree) {
          if (link >= 0) routing.copies[static_cast<std::size_t>(link)] = 1;
        }
        return routing.copies;
      },
      "platform"_a, "root"_a, "id"_a, "load"_a = nb::none(),
      "How many copies of each slice every link carries: one over those of the tree, except with "
      "tree/binomial as paper B means it, whose messages share links. For routing_period_s.");
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

platform::Packing pack_trees(const SlicePlatform& self, std::int32_t root, double gap,
                             double seconds, const nb::object& progress) {
  constexpr double between_reports_s = 0.1;
  const double start_s = now_s();
  double reported_s = start_s;
  const auto proceed = [&](const platform::PackingProgress& reached) {
    const double time_s = now_s();
    if (time_s - start_s >= seconds) return false;
    if (time_s - reported_s < between_reports_s) return true;
    reported_s = time_s;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress.is_none()) return true;
    const nb::object answer = progress(reached);
    return answer.is_none() || nb::cast<bool>(answer);
  };
  const nb::gil_scoped_release release;
  return platform::pack_trees(self, root, gap, proceed);
}

void bind_packing(nb::module_& module) {
  using platform::Packing;
  using platform::PackingProgress;
  nb::class_<PackingProgress>(module, "PackingProgress", "How far the search for trees has come.")
      .def_ro("steps", &PackingProgress::steps, "Cheapest trees sought.")
      .def_ro("rate_per_s", &PackingProgress::rate_per_s, "Slices a second that the trees reach.")
      .def_ro("bound_per_s", &PackingProgress::bound_per_s, "Proven: no trees are faster.")
      .def_ro("trees", &PackingProgress::trees, "In use.")
      .def_prop_ro("gap", &PackingProgress::gap, "The share of the bound that may be missing.");
  nb::class_<Packing>(module, "Packing", "Trees with their rates that fit the platform together.")
      .def_ro("trees", &Packing::trees, "By falling rate.")
      .def_ro("rates_per_s", &Packing::rates_per_s, "Slices a second along each.")
      .def_prop_ro("rate_per_s", [](const Packing& self) { return self.reached.rate_per_s; })
      .def_prop_ro("bound_per_s", [](const Packing& self) { return self.reached.bound_per_s; })
      .def_prop_ro("gap", [](const Packing& self) { return self.reached.gap(); })
      .def_prop_ro("steps", [](const Packing& self) { return self.reached.steps; });
  module.def(
      "pack_trees", &pack_trees, "platform"_a, "root"_a, "gap"_a, "seconds"_a,
      "progress"_a = nb::none(),
      "Trees whose rates sum to at least (1 - gap) of what any set of trees can reach, proven; or "
      "the best after so many seconds, with the gap that is proven then. progress(PackingProgress) "
      "is called about ten times a second and may return False to stop. Raises ValueError: nodes "
      "out of reach, a negative gap, nothing that limits the rate.");
}

void bind_schedules(nb::module_& module) {
  using platform::Phase;
  nb::class_<Phase>(module, "PortPhase",
                    "A stretch of a period in which the same links are busy throughout.")
      .def_ro("start_s", &Phase::start_s)
      .def_ro("duration_s", &Phase::duration_s)
      .def_ro("links", &Phase::links, "No two share a sender or a receiver.");
  module.def(
      "one_port_schedule",
      [](const SlicePlatform& self, const std::vector<Tree>& trees,
         const std::vector<double>& slices) {
        check_shares(self, trees, slices);
        return platform::one_port_schedule(self, busy_times_s(self, trees, slices));
      },
      "platform"_a, "trees"_a, "slices"_a,
      "One period of so many slices along each tree: phases in which each node sends to at most "
      "one and receives from at most one, as long together as the busiest port is busy. For the "
      "bidirectional one-port model: only ends and time_s of links are read. Raises ValueError.");
  module.def(
      "improve_tree",
      [](const SlicePlatform& self, std::int32_t root, const Tree& tree) {
        check_node(self, root);
        check_tree(self, tree);
        if (platform::root_of(tree) != root) {
          throw std::invalid_argument("the tree's root is node " +
                                      std::to_string(platform::root_of(tree)) + ", not " +
                                      std::to_string(root));
        }
        const nb::gil_scoped_release release;
        return platform::improve_tree(self, tree);
      },
      "platform"_a, "root"_a, "tree"_a,
      "A tree whose period is not longer: local search that relieves the busiest resource. Raises "
      "ValueError where the tree is none from that root.");
}

void bind_node_capacity(nb::module_& module) {
  using platform::MessagesAtOnce;
  const auto define = [&](const char* name, double (*told_by)(const MessagesAtOnce&),
                          const char* text) {
    module.def(
        name,
        [told_by](std::int32_t count, std::int64_t bytes, double took_s, double time_per_byte_s) {
          return told_by({count, bytes, took_s, took_s, time_per_byte_s});
        },
        "count"_a, "bytes"_a, "took_s"_a, "time_per_byte_s"_a, text);
  };
  define("ports_a_node", &platform::ports_a_node,
         "How many messages of `bytes` the ports of a node carry at full speed at once, where "
         "`count` of them took so long, and one by itself time_per_byte_s a byte.");
  define("memory_time_per_byte_s", &platform::memory_time_per_byte_s,
         "Of all messages within a node together, s, where they took so much longer than messages "
         "of a byte; 0: no slower than one by itself.");
}

void bind_measured_links(nb::module_& module) {
  using platform::MeasuredLinks;
  module.def("shifts_to_measure", &platform::shifts_to_measure, "nodes"_a,
             "To which node on each one sends, in turn.");
  module.def("first_probe_bytes", &platform::first_probe_bytes, "latency_s"_a, "time_per_byte_s"_a,
             "Of the first message of each shift.");
  module.def("further_probe_bytes", &platform::further_probe_bytes, "size_bytes"_a, "nodes"_a,
             "latency_s"_a, "time_per_byte_s"_a,
             "Of each that follows before a call of size_bytes; 0: the call is too short for any.");
  module.attr("FURTHER_PROBE_REPETITIONS") = platform::further_repetitions;
  nb::class_<MeasuredLinks>(module, "MeasuredLinks",
                            "What links among nodes take while all are busy.")
      .def(
          "__init__",
          [](MeasuredLinks* self, std::int32_t nodes, std::vector<double> time_per_byte_s) {
            if (nodes < 2) throw std::invalid_argument("at least two nodes");
            auto shifts = platform::shifts_to_measure(nodes);
            if (time_per_byte_s.size() != static_cast<std::size_t>(nodes) * shifts.size()) {
              throw std::invalid_argument("a time for each node and shift");
            }
            new (self) MeasuredLinks{nodes, std::move(shifts), std::move(time_per_byte_s)};
          },
          "nodes"_a, "time_per_byte_s"_a,
          "time_per_byte_s: of messages to each node from those so many places before it, by node "
          "and shift.")
      .def_prop_ro("differ", &MeasuredLinks::differ,
                   "More are apart than noise explains, and one more look showed as many.")
      .def_prop_ro("apart", &MeasuredLinks::apart,
                   "How many take more than a third longer or shorter than most.")
      .def("settle", &MeasuredLinks::settle, "apart_before"_a,
           "After one more look, before which so many were apart.")
      .def_prop_ro("slowest_s", &MeasuredLinks::slowest_s, "Per byte.")
      .def_prop_ro("fastest_s", &MeasuredLinks::fastest_s)
      .def(
          "time_per_byte_of_ports",
          [](const MeasuredLinks& self, const RankTrees& trees) {
            if (trees.ranks != self.nodes) throw std::invalid_argument("trees over other nodes");
            return platform::time_per_byte_of_ports(self, trees);
          },
          "trees"_a,
          "Of a long message along trees over the nodes, by the busiest port at its fastest; s/B.")
      .def("tree", &platform::tree_along, "latency_s"_a, "size_bytes"_a,
           "A plan of one tree along them, for messages of about so many bytes.");
}

}  // namespace

void bind_platform(nb::module_& module) {
  bind_slice_platform(module);
  bind_heuristics(module);
  bind_arborescence(module);
  bind_packing(module);
  bind_schedules(module);
  bind_measured_links(module);
  bind_node_capacity(module);
}

}  // namespace anabranch
