#include "bindings/fluid.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "model/fluid_algorithms.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

// An algorithm written in Python: an object with `may_leave(state, rank)` and `transfers(state)`,
// which returns tuples (src, dst) or (src, dst, first, last).
class PythonPolicy : public fluid::Policy {
 public:
  explicit PythonPolicy(nb::object policy) : policy_(std::move(policy)) {}

  bool may_leave(const fluid::State& state, fluid::Rank rank) override {
    return nb::cast<bool>(policy_.attr("may_leave")(shared(state), rank));
  }

  double transfers(const fluid::State& state, std::vector<fluid::Transfer>& wanted) override {
    for (const nb::handle item : policy_.attr("transfers")(shared(state))) {
      const auto tuple = nb::cast<nb::tuple>(item);
      fluid::Transfer transfer{nb::cast<fluid::Rank>(tuple[0]), nb::cast<fluid::Rank>(tuple[1])};
      if (tuple.size() > 2) {
        transfer.piece = {nb::cast<double>(tuple[2]), nb::cast<double>(tuple[3])};
      }
      wanted.push_back(transfer);
    }
    if (!nb::hasattr(policy_, "ask_again_after")) return std::numeric_limits<double>::infinity();
    return nb::cast<double>(policy_.attr("ask_again_after")(shared(state)));
  }

 private:
  static nb::object shared(const fluid::State& state) {
    return nb::cast(state, nb::rv_policy::reference);
  }

  nb::object policy_;
};

void bind_state(nb::module_& module) {
  nb::enum_<fluid::Model>(module, "FluidModel", "When data may be sent to who has not arrived.")
      .value("blocking", fluid::Model::blocking)
      .value("nonblocking", fluid::Model::nonblocking);
  nb::class_<fluid::State>(module, "FluidState",
                           "What processes hold and who is there, in a simulation under way.")
      .def_prop_ro("model", &fluid::State::model)
      .def_prop_ro("ranks", &fluid::State::ranks)
      .def_prop_ro("now", &fluid::State::now, "Since the root arrived, in T.")
      .def_prop_ro("order_of_arrival",
                   [](const fluid::State& state) {
                     const auto order = state.order_of_arrival();
                     return std::vector<fluid::Rank>(order.begin(), order.end());
                   })
      .def("arrived", &fluid::State::arrived, "rank"_a)
      .def("left", &fluid::State::left, "rank"_a)
      .def("present", &fluid::State::present, "rank"_a)
      .def("prefix", &fluid::State::prefix, "rank"_a, "How much it has from the start on, 0 to 1.")
      .def("complete", &fluid::State::complete, "rank"_a);
}

void bind_results(nb::module_& module) {
  nb::class_<fluid::Movement>(module, "FluidMovement", "A piece that moved without interruption.")
      .def_ro("src", &fluid::Movement::src)
      .def_ro("dst", &fluid::Movement::dst)
      .def_prop_ro("first", [](const fluid::Movement& movement) { return movement.piece.first; })
      .def_prop_ro("last", [](const fluid::Movement& movement) { return movement.piece.last; })
      .def_ro("start", &fluid::Movement::start)
      .def_ro("end", &fluid::Movement::end);
  nb::class_<fluid::Outcome>(module, "FluidOutcome", "What a broadcast takes; times in T.")
      .def_ro("arrivals", &fluid::Outcome::arrivals)
      .def_ro("exits", &fluid::Outcome::exits, "On the clock of the arrivals.")
      .def_ro("total", &fluid::Outcome::total, "Sum over the processes of exit - arrival.")
      .def_ro("waiting", &fluid::Outcome::waiting, "Of the total, before the root was there.")
      .def_ro("events", &fluid::Outcome::events)
      .def_ro("movements", &fluid::Outcome::movements, "By end; only with trace.")
      .def_prop_ro("average", &fluid::Outcome::average, "Per process: the paper's e.")
      .def_prop_ro("worst", &fluid::Outcome::worst, "Of a process: the paper's g.");
  nb::class_<fluid::Bounds>(module, "FluidBounds", "On the least total time possible, in T.")
      .def_ro("lower", &fluid::Bounds::lower)
      .def_ro("upper", &fluid::Bounds::upper, "Lemma 1 of paper A.");
  module.def(
      "fluid_bounds",
      [](const std::vector<double>& arrivals, fluid::Model model) {
        return fluid::bounds_of(arrivals, model);
      },
      "arrivals"_a, "model"_a, "Arrivals in T, the root's first.");
}

void bind_fluid_algorithms(nb::module_& module) {
  nb::class_<fluid::Algorithm>(module, "FluidAlgorithm", "A broadcast algorithm of the model.")
      .def_prop_ro("id", &fluid::Algorithm::id)
      .def_prop_ro("summary",
                   [](const fluid::Algorithm& self) { return self.description().summary; })
      .def_prop_ro("source", [](const fluid::Algorithm& self) { return self.description().source; })
      .def_prop_ro(
          "is_registered", [](const fluid::Algorithm& self) { return self.registered != nullptr; },
          "Else it exists in this model only.")
      .def_ro("is_offline", &fluid::Algorithm::is_offline)
      .def_prop_ro("works_in_blocks", &fluid::Algorithm::works_in_blocks,
                   "This model cannot follow it; its schedule can be simulated.")
      .def("suits", &fluid::Algorithm::suits, "model"_a);
  module.def(
      "all_fluid_algorithms",
      [] {
        std::vector<const fluid::Algorithm*> found;
        for (const fluid::Algorithm& algorithm : fluid::all_algorithms()) {
          found.push_back(&algorithm);
        }
        return found;
      },
      nb::rv_policy::reference);
  module.def(
      "simulate_fluid",
      [](std::string_view algorithm, const std::vector<double>& arrivals, fluid::Model model,
         bool trace) {
        return fluid::simulate(fluid::find_algorithm(algorithm), arrivals, model, trace);
      },
      "algorithm"_a, "arrivals"_a, "model"_a = fluid::Model::blocking, "trace"_a = false,
      "Runs an algorithm in paper A's model. Arrivals in T, the root's first. Raises ValueError.");
  module.def(
      "simulate_fluid_policy",
      [](nb::object policy, const std::vector<double>& arrivals, fluid::Model model, bool trace) {
        PythonPolicy adapter(std::move(policy));
        return fluid::simulate(adapter, arrivals, model, trace);
      },
      "policy"_a, "arrivals"_a, "model"_a = fluid::Model::blocking, "trace"_a = false,
      "The same for an object with may_leave(state, rank) -> bool and transfers(state) -> tuples "
      "(src, dst) or (src, dst, first, last); optionally ask_again_after(state) -> T. Raises "
      "ValueError where it does what the model forbids.");
}

}  // namespace

void bind_fluid(nb::module_& module) {
  bind_state(module);
  bind_results(module);
  bind_fluid_algorithms(module);
}

}  // namespace anabranch
