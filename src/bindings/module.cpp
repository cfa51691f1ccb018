// The Python module anabranch._core.
#include <nanobind/nanobind.h>

#include "bindings/algorithms.hpp"
#include "bindings/plan.hpp"
#include "bindings/platform.hpp"
#include "bindings/problem.hpp"
#include "bindings/schedule.hpp"
#if __has_include("bindings/verify.hpp")
#include "bindings/verify.hpp"
#define ANABRANCH_BINDS_VERIFY
#endif
#if __has_include("bindings/model.hpp")
#include "bindings/model.hpp"
#define ANABRANCH_BINDS_MODEL
#endif
#if __has_include("bindings/fluid.hpp")
#include "bindings/fluid.hpp"
#define ANABRANCH_BINDS_FLUID
#endif
#if __has_include("bindings/select.hpp")
#include "bindings/learning.hpp"
#include "bindings/select.hpp"
#define ANABRANCH_BINDS_SELECT
#endif

NB_MODULE(_core, module) {
  nanobind::set_leak_warnings(false);  // the interpreter ends with modules that hold our objects
  module.attr("__doc__") =
      "Schedules, algorithms, verifier, cost model, selection and platforms of Anabranch.";
  anabranch::bind_schedule(module);
  anabranch::bind_plan(module);
  anabranch::bind_problem(module);
  anabranch::bind_algorithms(module);
  anabranch::bind_platform(module);
#ifdef ANABRANCH_BINDS_VERIFY
  anabranch::bind_verify(module);
#endif
#ifdef ANABRANCH_BINDS_MODEL
  anabranch::bind_model(module);
#endif
#ifdef ANABRANCH_BINDS_FLUID
  anabranch::bind_fluid(module);
#endif
#ifdef ANABRANCH_BINDS_SELECT
  anabranch::bind_select(module);
  anabranch::bind_learning(module);
#endif
}
