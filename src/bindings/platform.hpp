// Platforms and broadcast trees, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_platform(nanobind::module_& module);

}  // namespace anabranch
