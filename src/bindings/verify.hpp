// Semantics of the collectives, verifier, and mutations of schedules, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_verify(nanobind::module_& module);

}  // namespace anabranch
