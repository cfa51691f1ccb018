// The cost model, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_model(nanobind::module_& module);

}  // namespace anabranch
