// What communicators learn from call to call, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_learning(nanobind::module_& module);

}  // namespace anabranch
