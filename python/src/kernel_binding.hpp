#pragma once

#include <nanobind/nanobind.h>

namespace roipca::python {

/// Binds KernelEstimatorF32 and KernelEstimatorF64.
void bind_kernel_pca(nanobind::module_& module);

}  // namespace roipca::python
