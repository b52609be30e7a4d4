#pragma once

#include <nanobind/nanobind.h>

namespace roipca::python {

/// Limits and contributions of models, MonitorF32 and MonitorF64. After the models and estimators.
void bind_monitor(nanobind::module_& module);

}  // namespace roipca::python
