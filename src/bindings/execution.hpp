// The execution of a schedule by itself, for Python: whoever drives it is the network.
#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_execution(nanobind::module_& module);

}  // namespace anabranch
