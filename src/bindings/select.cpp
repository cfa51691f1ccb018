#include "bindings/select.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "algorithms/situation.hpp"
#include "evidence/evidence.hpp"
#include "select/decision.hpp"
#include "select/policy_of_mpi.hpp"
#include "select/price.hpp"
#include "select/quantity.hpp"
#include "select/rivals.hpp"
#include "select/settings.hpp"
#include "select/tuning.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

void bind_settings(nb::module_& module) {
  nb::class_<Settings>(module, "Settings", "What a user can set; see settings.hpp.")
      .def(nb::init<>(), "The defaults.")
      .def(
          "set",
          [](Settings& self, const std::string& name, std::string_view value) {
            apply_setting(self, name, value);
          },
          "name"_a, "value"_a)
      .def(
          "text",
          [](const Settings& self, const std::string& name) {
            return find_setting(name).text(self);
          },
          "name"_a, "The effective value of a setting.")
      .def(
          "tune_with",
          [](Settings& self, const Tuning& tuning) {
            self.tuning = std::make_shared<const Tuning>(tuning);
          },
          "tuning"_a, "As if it had been read from the file that is set.")
      .def_prop_ro(
          "hash", [](const Settings& self) { return hash_of(self, true); },
          "Equal for settings that lead to the same decisions.")
      .def_ro("latency_s", &Settings::latency_s)
      .def_ro("time_per_byte_s", &Settings::time_per_byte_s)
      .def_ro("eager_limit_bytes", &Settings::eager_limit_bytes)
      .def_ro("watchdog_s", &Settings::watchdog_s)
      .def_ro("cache_bytes", &Settings::cache_bytes);
  nb::class_<Setting>(module, "Setting", "A row of the table of settings.")
      .def_ro("name", &Setting::name)
      .def_prop_ro("variable", &Setting::variable)
      .def_ro("summary", &Setting::summary)
      .def_ro("values", &Setting::values, "What is valid, in words.")
      .def_ro("same_on_all_ranks", &Setting::same_on_all_ranks)
      .def_prop_ro("default", [](const Setting& self) { return self.text(Settings{}); });
  module.def(
      "all_settings",
      [] {
        std::vector<const Setting*> found;
        for (const Setting& setting : all_settings()) found.push_back(&setting);
        return found;
      },
      nb::rv_policy::reference, "All settings, ordered by name.");
  module.def(
      "read_settings",
      [](const std::vector<std::string>& environment) { return read_settings(environment); },
      "environment"_a, "From NAME=value strings and the file that ANABRANCH_CONFIG names.");
  module.def(
      "parse_settings",
      [](const std::vector<std::string>& environment, std::string_view file_text,
         std::string_view file_name) { return parse_settings(environment, file_text, file_name); },
      "environment"_a, "file_text"_a = "", "file_name"_a = "", "The same without file access.");
}

nb::dict as_dict(const Scope& where) {
  nb::dict found;
  const auto add = [&](const char* name, const Range& range) {
    if (!range.is_everything()) found[name] = nb::make_tuple(range.from, range.to);
  };
  add("size_bytes", where.size_bytes);
  add("part_bytes", where.part_bytes);
  add("ranks", where.ranks);
  add("nodes", where.nodes);
  add("ranks_a_node", where.ranks_a_node);
  add("bytes_per_s", where.bytes_per_s);
  add("latency_s", where.latency_s);
  add("latencies_on_wire", where.latencies_on_wire);
  add("latencies_to_gain", where.latencies_to_gain);
  add("plan_slices", where.plan_slices);
  return found;
}

void bind_tuning(nb::module_& module) {
  nb::class_<TunedRange>(module, "TunedRange", "What was the fastest, and where that holds.")
      .def_ro("collective", &TunedRange::collective)
      .def_prop_ro(
          "where", [](const TunedRange& self) { return as_dict(self.where); },
          "First and last value of each limit.")
      .def_prop_ro("choice", [](const TunedRange& self) { return self.selection.text(); })
      .def_ro("times_as_fast", &TunedRange::times_as_fast, "As native.")
      .def_ro("reason", &TunedRange::reason);
  nb::class_<Tuning>(module, "Tuning", "What the library reads of a tuning file; see tuning.hpp.")
      .def_static("parse", &parse_tuning, "text"_a, "name"_a = "tuning",
                  "Of a file's text (schema anabranch/tuning/1). ValueError with one line.")
      .def_ro("native_policy", &Tuning::native_policy)
      .def_ro("mpi_version", &Tuning::mpi_version)
      .def(
          "misfit",
          [](const Tuning& self, Collective collective, const Problem& problem) {
            return self.misfit(situation_of(collective, problem));
          },
          "collective"_a, "problem"_a,
          "Why it says nothing of such calls, of whatever size; empty where it may.")
      .def_ro("ranges", &Tuning::ranges);
  module.def("without_measurements", &without_measurements, "text"_a, "name"_a = "tuning",
             "What one rank hands to the others of a tuning file. ValueError with one line.");
}

void bind_quantities(nb::module_& module) {
  module.def("parse_duration_s", &parse_duration_s, "text"_a, "Seconds of \"30s\", \"100us\", ..");
  module.def("format_duration", &format_duration, "duration_s"_a);
  module.def("parse_bandwidth_bytes_per_s", &parse_bandwidth_bytes_per_s, "text"_a,
             "Bytes per second of \"40mbit\", \"1.2GB/s\", ..");
  module.def("format_bandwidth", &format_bandwidth, "bytes_per_s"_a);
}

void bind_evidence(nb::module_& module) {
  nb::class_<Gain>(module, "Gain", "What was measured of something beside native.")
      .def_ro("mpi", &Gain::mpi, "Name and version.")
      .def_ro("policy", &Gain::policy, "By which it chooses; empty: not one that is known.")
      .def_ro("ranks", &Gain::ranks)
      .def_ro("size_bytes", &Gain::size_bytes)
      .def_ro("ran", &Gain::ran, "An algorithm with its parameters.")
      .def_ro("gain", &Gain::gain, "Times as fast as native: the median of pairs.")
      .def_ro("low", &Gain::low, "Where its confidence interval begins.")
      .def_ro("high", &Gain::high)
      .def_ro("predicted", &Gain::predicted, "The same under the model.")
      .def_ro("date", &Gain::date);
  nb::class_<Evidence>(module, "Evidence", "What measurements say beyond the model, and where.")
      .def_ro("name", &Evidence::name)
      .def_ro("collective", &Evidence::collective, "None: all.")
      .def_ro("prefers", &Evidence::prefers, "The id of an algorithm; empty: native.")
      .def_prop_ro("network_known", [](const Evidence& self) { return self.where.network_known; })
      .def_prop_ro("links_known", [](const Evidence& self) { return self.where.links_known; })
      .def_prop_ro("links_differ", [](const Evidence& self) { return self.where.links_differ; })
      .def_prop_ro(
          "unless_balanced", [](const Evidence& self) { return self.where.unless_balanced; },
          "Not where all ranks came together to earlier calls like the one in question.")
      .def_ro("may_cost", &Evidence::may_cost, "Times the cheapest candidate.")
      .def_prop_ro(
          "otherwise",
          [](const Evidence& self) {
            if (self.otherwise == Otherwise::native) return "native";
            return self.otherwise == Otherwise::cheapest ? "cheapest" : "next_row";
          },
          "Where it costs more: native, the cheapest, or as the rows that follow say.")
      .def_prop_ro(
          "within_node", [](const Evidence& self) { return self.where.within_node; },
          "Whether it is of components of algorithms by nodes.")
      .def_prop_ro("unequal_parts_only",
                   [](const Evidence& self) { return self.where.unequal_parts_only; })
      .def_prop_ro(
          "native_policy", [](const Evidence& self) { return self.where.native_policy; },
          "Over which MPI it holds; empty: over any.")
      .def_prop_ro(
          "where", [](const Evidence& self) { return as_dict(self.where); },
          "First and last value of each limit.")
      .def_ro("reason", &Evidence::reason)
      .def_ro("measured", &Evidence::measured, "Where and when, or why nothing need be.")
      .def_ro("command", &Evidence::command)
      .def_prop_ro(
          "gains",
          [](const Evidence& self) {
            return std::vector<Gain>(self.gains.begin(), self.gains.end());
          },
          "As `anabranch experiments evidence` measured them, by MPI, ranks and size.");
  nb::class_<TunedValue>(module, "TunedValue", "A number that algorithms take from measurements.")
      .def_ro("name", &TunedValue::name)
      .def_ro("value", &TunedValue::value)
      .def_ro("unit", &TunedValue::unit)
      .def_prop_ro("where", [](const TunedValue& self) { return as_dict(self.where); })
      .def_ro("reason", &TunedValue::reason)
      .def_ro("measured", &TunedValue::measured)
      .def_ro("command", &TunedValue::command);
  module.def(
      "all_evidence",
      [] {
        std::vector<const Evidence*> rows;
        for (const Evidence& row : all_evidence()) rows.push_back(&row);
        return rows;
      },
      nb::rv_policy::reference, "In their order: the first row that holds counts.");
  module.def(
      "all_tuned_values",
      [] {
        const auto values = all_tuned_values();
        return std::vector<const TunedValue*>(values.begin(), values.end());
      },
      nb::rv_policy::reference);
}

void bind_decisions(nb::module_& module) {
  nb::enum_<Basis>(module, "Basis", "What a decision rests on.")
      .value("settings", Basis::settings)
      .value("stand_in", Basis::stand_in, "The default, in place of what cannot serve the call.")
      .value("fixed_network", Basis::fixed_network, "The model, for reproducible results.")
      .value("tuning", Basis::tuning, "A tuning file.")
      .value("evidence", Basis::evidence)
      .value("model", Basis::model);
  nb::class_<Candidate>(module, "Candidate", "What could serve a call, or why it cannot.")
      .def_ro("choice", &Candidate::choice)
      .def_ro("predicted_s", &Candidate::predicted_s)
      .def_ro("refusal", &Candidate::refusal, "Empty where it can serve.");
  nb::class_<Decision>(module, "Decision", "Which algorithm serves a call, and why.")
      .def_ro("choice", &Decision::choice)
      .def_ro("blocks", &Decision::blocks)
      .def_ro("predicted_s", &Decision::predicted_s)
      .def_ro("candidates", &Decision::candidates,
              "What was considered: schedules in the order of their ids, and native.")
      .def_prop_ro("runner_up", &Decision::runner_up, nb::rv_policy::reference_internal,
                   "The cheapest of the other candidates that can serve the call, or None.")
      .def("why_not", &Decision::why_not, "candidate"_a,
           "A clause that says why the candidate is not taken; empty for the one that is.")
      .def_ro("reason", &Decision::reason)
      .def_prop_ro(
          "evidence",
          [](const Decision& self) -> std::optional<std::string> {
            if (self.evidence == nullptr) return std::nullopt;
            return std::string(self.evidence->name);
          },
          "The name of the row of evidence that decided; None: settings or the model.")
      .def_ro("basis", &Decision::basis)
      .def_ro("is_native", &Decision::is_native, "Whether the MPI serves the call.")
      .def_ro("needs_network", &Decision::needs_network,
              "Whether the answer depends on what is not known yet: network or places.")
      .def_ro("link_probe_bytes", &Decision::link_probe_bytes,
              "Above 0: links are to be measured first, by messages of so many bytes.")
      .def_ro("has_announced_size", &Decision::has_announced_size,
              "Whether the root tells the size that only it knows, and all decide again.");
  module.def(
      "decide",
      [](Collective collective, const Problem& problem, const Settings& settings) {
        return decide(collective, problem, settings);
      },
      "collective"_a, "problem"_a, "settings"_a = Settings{});
  module.def(
      "rivals_of",
      [](const Decision& decision, const Problem& problem, const Settings& settings) {
        std::vector<std::string_view> ids;
        for (const Rival& each : rivals_of(decision, problem, settings)) {
          ids.push_back(each.algorithm->id);
        }
        return ids;
      },
      "decision"_a, "problem"_a, "settings"_a = Settings{},
      "Ids of what is timed beside the choice in the first calls of a class, in that order; see "
      "rivals.hpp.");
  module.def("has_rivals", &has_rivals, "decision"_a, "problem"_a, "settings"_a = Settings{},
             "Whether `rivals_of` has any, mostly without further prices.");
  module.attr("PRICES_WITHIN") = prices_within;
  module.attr("PLANNED_LAG") = PlannedTrees::lag;
  module.def(
      "price_s",
      [](const Choice& choice, const Problem& problem) -> std::optional<double> {
        const Choice resolved = resolve(choice, problem);
        if (resolved.algorithm->cost_s == nullptr) return std::nullopt;
        return price_s(resolved, problem);
      },
      "choice"_a, "problem"_a,
      "What the choice, or what a policy chooses, costs on the nodes and ports of the problem, s, "
      "as in decisions; None where no formula says.");
  module.def(
      "native_up_to_bytes",
      [](Collective collective, const Settings& settings,
         std::optional<std::string_view> native_policy, bool network_known) {
        const NativeSizes sizes = native_up_to_bytes(settings, native_policy, network_known);
        return sizes[static_cast<std::size_t>(collective)];
      },
      "collective"_a, "settings"_a = Settings{}, "native_policy"_a = nb::none(),
      "network_known"_a = false,
      "Calls of up to so many bytes are native while nobody knows the network, or whatever it is; "
      "-1: none. native_policy: of the MPI beneath, where that is known.");
  module.def("policy_of_mpi", &policy_of_mpi, "library_version"_a,
             "The policy that says what an MPI runs, by what MPI_Get_library_version says; empty "
             "where nobody knows.");
  module.def(
      "choose_alike", &choose_alike, "library_version"_a, "other"_a,
      "Whether two MPIs choose their algorithms alike, by what MPI_Get_library_version says.");
  module.def("describe", &describe, "decision"_a,
             "What runs, why, and the runner-up and why not that one: one line.");
  module.def("text_of", nb::overload_cast<const Choice&>(&text_of), "choice"_a,
             "\"bcast/chain:segment=4KiB\", with all parameters.");
}

}  // namespace

void bind_select(nb::module_& module) {
  bind_settings(module);
  bind_quantities(module);
  bind_evidence(module);
  bind_decisions(module);
  bind_tuning(module);
}

}  // namespace anabranch
