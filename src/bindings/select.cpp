#include "bindings/select.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "select/decision.hpp"
#include "select/quantity.hpp"
#include "select/settings.hpp"

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
      .def_prop_ro("hash", &hash_of, "Equal for settings that lead to the same decisions.")
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

void bind_quantities(nb::module_& module) {
  module.def("parse_duration_s", &parse_duration_s, "text"_a, "Seconds of \"30s\", \"100us\", ..");
  module.def("format_duration", &format_duration, "duration_s"_a);
  module.def("parse_bandwidth_bytes_per_s", &parse_bandwidth_bytes_per_s, "text"_a,
             "Bytes per second of \"40mbit\", \"1.2GB/s\", ..");
  module.def("format_bandwidth", &format_bandwidth, "bytes_per_s"_a);
}

void bind_decisions(nb::module_& module) {
  nb::class_<Decision>(module, "Decision", "Which algorithm serves a call, and why.")
      .def_ro("choice", &Decision::choice)
      .def_ro("blocks", &Decision::blocks)
      .def_ro("predicted_s", &Decision::predicted_s)
      .def_prop_ro("runner_up",
                   [](const Decision& self) -> std::optional<Choice> {
                     if (self.runner_up.algorithm == nullptr) return std::nullopt;
                     return self.runner_up;
                   })
      .def_ro("runner_up_predicted_s", &Decision::runner_up_predicted_s)
      .def_ro("reason", &Decision::reason)
      .def_ro("is_led", &Decision::is_led,
              "Whether the root tells the size that only it knows, and all decide again.");
  module.def(
      "decide",
      [](Collective collective, Problem problem, const Settings& settings, bool single_node) {
        problem.single_node = single_node;
        return decide(collective, problem, settings);
      },
      "collective"_a, "problem"_a, "settings"_a = Settings{}, "single_node"_a = false);
  module.def("describe", &describe, "decision"_a, "What runs, why, and the runner-up: one line.");
  module.def("text_of", &text_of, "choice"_a, "\"bcast/chain:segment=4KiB\", with all parameters.");
}

}  // namespace

void bind_select(nb::module_& module) {
  bind_settings(module);
  bind_quantities(module);
  bind_decisions(module);
}

}  // namespace anabranch
