#pragma once

#include <nanobind/nanobind.h>

namespace roipca::python {

/// Binds the limits and contributions of models, MonitorF32 and MonitorF64. Call it after the models and
/// estimators are bound.
void bind_monitor(nanobind::module_& module);

}  // namespace roipca::python
