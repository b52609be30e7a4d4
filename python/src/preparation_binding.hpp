#pragma once

#include <nanobind/nanobind.h>

namespace roipca::python {

/// Binds PreparationF32 and PreparationF64.
void bind_preparation(nanobind::module_& module);

}  // namespace roipca::python
