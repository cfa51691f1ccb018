// Operations, schedules and their builder, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_schedule(nanobind::module_& module);

}  // namespace anabranch
