/// Binds Refinement: more passes over the rows of a model.
#pragma once

#include <nanobind/nanobind.h>

namespace roipca::python {

void bind_refinements(nanobind::module_& module);

}  // namespace roipca::python
