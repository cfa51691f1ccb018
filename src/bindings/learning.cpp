#include "bindings/learning.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "select/arrival_order.hpp"
#include "select/balance.hpp"
#include "select/learning.hpp"
#include "select/trial.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

void bind_balance(nb::module_& module) {
  nb::class_<Balance> balance(module, "Balance",
                              "Whether the ranks come together to the calls of a class; see "
                              "balance.hpp.");
  balance.def(nb::init<>())
      .def_prop_ro("expects_all", &Balance::expects_all,
                   "Whether the next call is to go without the protocol.")
      .def_prop_ro("calls_after_look", &Balance::calls_after_look,
                   "How many go without it after the last look.")
      .def("saw", &Balance::saw, "all_together"_a, "Whether that is a change.")
      .def("passed", &Balance::passed)
      .def_prop_ro("late_in_a_row", &Balance::late_in_a_row,
                   "In how many of its last calls the protocol saw late ranks.")
      .def("note_cost_of_looks", &Balance::note_cost_of_looks, "more"_a,
           "more: how much longer a look takes than other calls, as a multiple of these.")
      .def("note_spread", &Balance::note_spread, "spread_s"_a, "call_s"_a)
      .def_prop_ro("expected_spread_s", &Balance::expected_spread_s);
  balance.attr("MOST_CALLS") = Balance::most_calls;
}

void bind_arrival_order(nb::module_& module) {
  nb::class_<ArrivalOrder> order(module, "ArrivalOrder",
                                 "In which order ranks come, as they came to an earlier call; see "
                                 "arrival_order.hpp.");
  order.def(nb::init<>())
      .def_prop_ro("needs_times", &ArrivalOrder::needs_times,
                   "The next call goes by what all ranks told: learn before.")
      .def_prop_ro("is_to_be_told", &ArrivalOrder::is_to_be_told)
      .def("end_call", &ArrivalOrder::end_call)
      .def(
          "learn",
          [](ArrivalOrder& self, const std::vector<std::int64_t>& in_call_ns) {
            self.learn(in_call_ns);
          },
          "in_call_ns"_a, "in_call_ns: how long each rank was in the call.")
      .def_prop_ro(
          "rank_at",
          [](const ArrivalOrder& self) {
            return self.order() ? std::optional(self.order()->rank_at) : std::nullopt;
          },
          "By place, who comes first at place 0; None while nobody knows.")
      .def_prop_ro(
          "place_of",
          [](const ArrivalOrder& self) {
            return self.order() ? std::optional(self.order()->place_of) : std::nullopt;
          },
          "By rank.");
  order.attr("CALLS_UNTIL_KNOWN") = ArrivalOrder::calls_until_known;
}

void bind_trials(nb::module_& module) {
  nb::class_<Trial> trial(
      module, "Trial",
      "The choice (contender 0) and others, timed in turn in the first calls of "
      "a class; see trial.hpp.");
  trial
      .def(
          "__init__",
          [](Trial* self, std::size_t contenders, std::int64_t calls_a_turn) {
            if (contenders < 2 || contenders > Trial::most_contenders) {
              throw std::invalid_argument("give 2 to " + std::to_string(Trial::most_contenders) +
                                          " contenders");
            }
            if (calls_a_turn < 1) throw std::invalid_argument("give at least one call a turn");
            new (self) Trial(contenders, calls_a_turn);
          },
          "contenders"_a = 2, "calls_a_turn"_a = 1)
      .def_prop_ro("serving", &Trial::serving, "Which contender serves the next call.")
      .def_prop_ro("is_timed", &Trial::is_timed)
      .def_prop_ro("turns", &Trial::turns, "Of this round, each of `calls_a_turn` calls.")
      .def_prop_ro("needs_sums", &Trial::needs_sums,
                   "The next call goes by the sums of all ranks: conclude before.")
      .def_prop_ro("is_to_be_told", &Trial::is_to_be_told)
      .def("end_call", &Trial::end_call, "took_s"_a, "is_comparable"_a = true)
      .def_prop_ro("favourite", &Trial::favourite, "Who serves where it is nobody's turn.")
      .def_prop_ro("is_between_rounds", &Trial::is_between_rounds)
      .def("begin_anew", &Trial::begin_anew, "Forgets all; the next call begins the first round.")
      .def_prop_ro("own_times_ns",
                   [](const Trial& self) {
                     const auto own = self.own_times_ns();
                     return std::vector<std::int64_t>(own.begin(), own.end());
                   })
      .def(
          "conclude",
          [](Trial& self, const std::vector<std::int64_t>& sums_ns) {
            if (sums_ns.size() != self.turns()) {
              throw std::invalid_argument("give a sum for each turn of the round");
            }
            return self.conclude(sums_ns);
          },
          "sums_ns"_a, "Takes the sums over all ranks, in ns.");
  module.def("calls_a_turn", &calls_a_turn, "call_s"_a, "latency_s"_a,
             "How many calls in a row are a turn where one is priced at call_s.");
  module.def("weight_in_sums", &weight_in_sums, "collective"_a, "is_root"_a, "ranks"_a,
             "By what a rank's times count in the sums of a trial.");
  trial.attr("MOST_CONTENDERS") = Trial::most_contenders;
  trial.attr("MOST_CALLS_A_TURN") = Trial::most_calls_a_turn;
  trial.attr("PAIRS") = Trial::pairs;
  trial.attr("MOST_PAIRS") = Trial::most_pairs;
  trial.attr("CALLS_UNTIL_KNOWN") = Trial::calls_until_known;
  trial.attr("LEAST_BETWEEN_ROUNDS") = Trial::least_between_rounds;
  trial.attr("MOST_LOST") = Trial::most_lost;
  nb::class_<Trial::Verdict>(module, "TrialVerdict", "What a round of a trial told.")
      .def_ro("winner", &Trial::Verdict::winner)
      .def_ro("other", &Trial::Verdict::other, "With whom it was compared.")
      .def_ro("is_changed", &Trial::Verdict::is_changed, "The winner was not the favourite.")
      .def_ro("times_as_fast", &Trial::Verdict::times_as_fast)
      .def_ro("pairs_won", &Trial::Verdict::pairs_won)
      .def_ro("pairs", &Trial::Verdict::pairs, "With the other, so far.")
      .def_ro("next_round", &Trial::Verdict::next_round, "In so many calls.")
      .def(
          "text",
          [](const Trial::Verdict& self, const std::vector<std::string>& names) {
            if (std::max(self.winner, self.other) >= names.size()) {
              throw std::invalid_argument("give a name for each contender");
            }
            return text_of(self, names);
          },
          "names"_a, "names: of the contenders.");
}

void bind_settling(nb::module_& module) {
  nb::class_<Learning>(module, "Learning",
                       "What serves calls by default once the guard has compared; see "
                       "learning.hpp.")
      .def(nb::init<>())
      .def("note", &Learning::note, "ran"_a, "After each call: what served it.")
      .def_prop_ro("result", &Learning::result,
                   "What would go on serving calls; empty where it is what served at first.");
}

}  // namespace

void bind_learning(nb::module_& module) {
  bind_balance(module);
  bind_arrival_order(module);
  bind_trials(module);
  bind_settling(module);
}

}  // namespace anabranch
