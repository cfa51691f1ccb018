#pragma once

#include <nanobind/nanobind.h>

namespace anabranch {

void bind_protocols(nanobind::module_& module);

}  // namespace anabranch
