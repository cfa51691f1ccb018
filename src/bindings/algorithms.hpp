// The registry: descriptors, choices and selections, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_algorithms(nanobind::module_& module);

}  // namespace anabranch
