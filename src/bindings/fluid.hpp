// Paper A's model, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_fluid(nanobind::module_& module);

}  // namespace anabranch
