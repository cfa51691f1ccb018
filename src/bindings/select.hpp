// Settings and decisions, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_select(nanobind::module_& module);

}  // namespace anabranch
