// What all ranks of a call know alike, and where they are, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_problem(nanobind::module_& module);

}  // namespace anabranch
