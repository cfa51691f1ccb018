#include "bindings/plan.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "plan/rank_trees.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

RankTrees fit_checked(const Plan& plan, const std::vector<std::int32_t>& node_of_rank,
                      std::int32_t root) {
  const auto ranks = static_cast<std::int32_t>(node_of_rank.size());
  const auto nodes = static_cast<std::int32_t>(plan.nodes.size());
  if (root < 0 || root >= ranks) throw std::invalid_argument("no such root");
  for (const std::int32_t node : node_of_rank) {
    if (node < 0 || node >= nodes) throw std::invalid_argument("no such node");
  }
  return fit(plan, node_of_rank, root);
}

Schedule schedule_checked(const RankTrees& trees, std::int32_t rank, std::int32_t slices) {
  if (rank < 0 || rank >= trees.ranks) throw std::invalid_argument("no such rank");
  if (slices < 1) throw std::invalid_argument("at least one slice");
  return tree_schedule(trees, rank, slices);
}

}  // namespace

void bind_plan(nb::module_& module) {
  nb::class_<Plan>(module, "PlanOfTrees", "What the library reads of a plan; see plan.hpp.")
      .def_static("parse", &parse_plan, "text"_a, "name"_a = "plan",
                  "Of a file's text (schema anabranch/plan/1). ValueError with one line.")
      .def_ro("model", &Plan::model)
      .def_ro("slice_bytes", &Plan::slice_bytes)
      .def_ro("serial", &Plan::serial)
      .def_ro("period_s", &Plan::period_s)
      .def_ro("nodes", &Plan::nodes)
      .def_ro("order", &Plan::order)
      .def_prop_ro(
          "rounds", [](const Plan& self) { return self.rounds.size(); }, "Of a one-port period.")
      .def("fit", &fit_checked, "node_of_rank"_a, "root"_a,
           "The trees over the ranks of a communicator: node_of_rank has the index of each rank's "
           "node.");
  nb::class_<RankTrees>(module, "RankTrees", "Trees over ranks, which count from the root.")
      .def_ro("ranks", &RankTrees::ranks)
      .def_ro("rounds", &RankTrees::rounds, "Of a period, where it keeps those of the plan; or 0.")
      .def_prop_ro(
          "parents",
          [](const RankTrees& self) {
            std::vector<std::vector<std::int32_t>> parents;
            for (const auto& tree : self.trees) parents.push_back(tree.parent);
            return parents;
          },
          "By tree and rank; -1 at the root.")
      .def("schedule", &schedule_checked, "rank"_a, "slices"_a,
           "What a rank does in the broadcast of so many slices.");
}

}  // namespace anabranch
