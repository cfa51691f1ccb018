// Plans and the schedules along their trees, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_plan(nanobind::module_& module);

}  // namespace anabranch
