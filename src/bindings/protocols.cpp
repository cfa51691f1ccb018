#include "bindings/protocols.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "verify/protocols.hpp"
#include "verify/verifier.hpp"
#include "verify/violation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

// What came of trying orders of events.
struct Tried {
  verify::Explored explored;
  std::string fault;
  std::string reason;
  bool mistake_was_made = false;
};

void check(const verify::ProtocolCase& what) {
  if (!what.algorithm.is_protocol()) {
    throw std::invalid_argument(std::string(what.algorithm.id) + " is not a protocol");
  }
  if (what.values.size() != what.algorithm.parameters.size()) {
    throw std::invalid_argument("there must be a value for each parameter");
  }
  if (what.ranks < 1 || what.blocks < 1) throw std::invalid_argument("ranks and blocks: 1 or more");
  for (const std::int32_t root : what.roots) {
    if (root < 0 || root >= what.ranks) throw std::invalid_argument("there is no such root");
  }
}

template <typename Work>
Tried tried(const verify::ProtocolCase& what, const verify::Mistake* mistake, Work work) {
  check(what);
  Tried found;
  verify::Replace replace;
  if (mistake != nullptr) {
    replace = verify::with_mistake(*mistake, what.ranks, found.mistake_was_made);
  }
  try {
    found.explored = work(replace);
  } catch (const verify::Violation& violation) {
    found.fault = name_of(violation.fault());
    found.reason = violation.what();
  } catch (const std::logic_error& error) {  // a protocol that was told nonsense
    found.fault = "refused";
    found.reason = error.what();
  }
  return found;
}

verify::ProtocolCase case_of(const Algorithm& algorithm, std::vector<std::int64_t> values,
                             std::int32_t ranks, std::int32_t blocks,
                             std::vector<std::int32_t> roots, const verify::Behaviour& behaviour,
                             std::shared_ptr<const Places> places) {
  return {algorithm,        std::move(values), ranks,           blocks,
          std::move(roots), behaviour.window,  behaviour.sends, std::move(places)};
}

}  // namespace

void bind_protocols(nb::module_& module) {
  using verify::Mistake;
  auto mistake = nb::class_<Mistake>(module, "Mistake", "One mistake of one rank of a protocol.");
  nb::enum_<Mistake::Kind>(mistake, "Kind")
      .value("drop_control", Mistake::Kind::drop_control)
      .value("repeat_control", Mistake::Kind::repeat_control)
      .value("retarget_control", Mistake::Kind::retarget_control)
      .value("change_control", Mistake::Kind::change_control)
      .value("drop_send", Mistake::Kind::drop_send)
      .value("repeat_send", Mistake::Kind::repeat_send)
      .value("retarget_send", Mistake::Kind::retarget_send)
      .value("drop_end", Mistake::Kind::drop_end)
      .value("forget_completion", Mistake::Kind::forget_completion)
      .value("deny_group", Mistake::Kind::deny_group)
      .value("claim_group", Mistake::Kind::claim_group);
  mistake.def(
      "__init__",
      [](Mistake* self, Mistake::Kind kind, std::int32_t rank, std::int32_t number) {
        new (self) Mistake{kind, rank, number};
      },
      "kind"_a, "rank"_a, "number"_a);
  mistake.def_ro("kind", &Mistake::kind)
      .def_ro("rank", &Mistake::rank)
      .def_ro("number", &Mistake::number);
  nb::class_<Tried>(module, "Tried", "What came of trying orders of events.")
      .def_prop_ro("states", [](const Tried& self) { return self.explored.states; })
      .def_prop_ro("steps", [](const Tried& self) { return self.explored.steps; })
      .def_prop_ro("ends", [](const Tried& self) { return self.explored.ends; })
      .def_prop_ro(
          "ends_hash", [](const Tried& self) { return self.explored.ends_hash; },
          "Tells sets of ends apart.")
      .def_prop_ro("is_complete", [](const Tried& self) { return self.explored.is_complete; })
      .def_ro("fault", &Tried::fault, "Empty where all was well.")
      .def_ro("reason", &Tried::reason)
      .def_ro("mistake_was_made", &Tried::mistake_was_made);
  module.def(
      "explore_protocol",
      [](const Algorithm& algorithm, std::vector<std::int64_t> values, std::int32_t ranks,
         std::int32_t blocks, std::vector<std::int32_t> roots, const verify::Behaviour& behaviour,
         std::int64_t max_states, const Mistake* made, bool reduced, bool ends_apart,
         std::shared_ptr<const Places> places) {
        const auto what = case_of(algorithm, std::move(values), ranks, blocks, std::move(roots),
                                  behaviour, std::move(places));
        return tried(what, made, [&](const verify::Replace& replace) {
          return verify::explore_protocol(what, {max_states, reduced, ends_apart}, replace);
        });
      },
      "algorithm"_a, "values"_a, "ranks"_a, "blocks"_a, "roots"_a, "behaviour"_a,
      "max_states"_a = 1'000'000, "mistake"_a = nb::none(), "reduced"_a = true,
      "ends_apart"_a = false, "places"_a = nb::none(),
      "Every order of arrivals and deliveries of broadcasts that follow each other.");
  module.def(
      "run_protocol",
      [](const Algorithm& algorithm, std::vector<std::int64_t> values, std::int32_t ranks,
         std::int32_t blocks, std::vector<std::int32_t> roots, const verify::Behaviour& behaviour,
         const Mistake* made, std::shared_ptr<const Places> places) {
        const auto what = case_of(algorithm, std::move(values), ranks, blocks, std::move(roots),
                                  behaviour, std::move(places));
        return tried(what, made, [&](const verify::Replace& replace) {
          const auto order = verify::make_order(behaviour, ranks);
          verify::run_protocol(what, *order, replace);
          return verify::Explored{0, 0, 1, 0, false};
        });
      },
      "algorithm"_a, "values"_a, "ranks"_a, "blocks"_a, "roots"_a, "behaviour"_a,
      "mistake"_a = nb::none(), "places"_a = nb::none(), "One order of events.");
}

}  // namespace anabranch
