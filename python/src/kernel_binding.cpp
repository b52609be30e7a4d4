/// Kernel PCA in the module roipca._core.
#include "kernel_binding.hpp"

#include <nanobind/stl/string.h>

#include <exception>
#include <new>

#include "kernel_estimator.hpp"

namespace roipca::python {
namespace {

using Optional = std::optional<Index>;

template <typename T>
nb::tuple reduce(const nb::handle_t<KernelEstimator<T>>& self) {
  const auto& estimator = nb::cast<const KernelEstimator<T>&>(self);
  const auto state = estimator.state();
  const KernelSpec& spec = estimator.spec();
  return nb::make_tuple(self.type(),
                        nb::make_tuple(*spec.kernel, spec.gamma, spec.degree, spec.coef0, to_python(state)));
}

// An estimator holds a Python function, which may hold the estimator in turn. These slots let the garbage
// collector find and break such cycles.
template <typename T>
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  Py_VISIT(nb::inst_ptr<KernelEstimator<T>>(self)->spec().kernel->ptr());
  return 0;
}

template <typename T>
int clear(PyObject* self) {
  nb::inst_ptr<KernelEstimator<T>>(self)->drop_kernel();
  return 0;
}

// Returns one eigenvector per column, as in scikit-learn.
OwnedRows<double> transposed(const OwnedRows<double>& rows) {
  OwnedRows<double> columns(rows.cols(), rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) columns(j, i) = rows(i, j);
  }
  return columns;
}

template <typename T>
void bind(nb::module_& module, const char* name) {
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse<T>)},
                                {Py_tp_clear, reinterpret_cast<void*>(&clear<T>)},
                                {0, nullptr}};
  using E = KernelEstimator<T>;
  const auto array = [](auto function) {
    return [function](const E& self) { return to_numpy((self.*function)()); };
  };
  constexpr auto kOwned = nb::rv_policy::reference;  // the array keeps its numbers alive itself
  nb::class_<E>(module, name, nb::type_slots(slots))
      .def(
          "__init__",
          [](E* self, const nb::object& kernel, std::optional<double> gamma, double degree, double coef0,
             Index n_components, bool center, Optional oversampling, Optional budget, double tolerance) {
            new (self) E(KernelSpec{std::make_shared<nb::object>(kernel), gamma, degree, coef0},
                         KernelOptions{n_components, center, oversampling, budget, tolerance});
          },
          nb::arg("kernel"), nb::arg("gamma").none(), nb::arg("degree"), nb::arg("coef0"),
          nb::arg("n_components"), nb::arg("center"), nb::arg("oversampling").none(),
          nb::arg("budget").none(), nb::arg("tolerance"))
      .def(
          "__init__",
          [](E* self, const nb::object& kernel, std::optional<double> gamma, double degree, double coef0,
             const nb::bytes& state) {
            new (self)
                E(KernelSpec{std::make_shared<nb::object>(kernel), gamma, degree, coef0}, bytes_of(state));
          },
          nb::arg("kernel"), nb::arg("gamma").none(), nb::arg("degree"), nb::arg("coef0"), nb::arg("state"))
      .def("__reduce__", &reduce<T>)
      .def("partial_fit", &E::partial_fit, nb::arg("rows").noconvert())
      .def(
          "transform", [](E& self, const Array<T>& rows) { return to_numpy(self.transform(rows)); },
          nb::arg("rows").noconvert())
      .def_prop_ro(
          "eigenvalues", [](E& self) { return to_numpy(self.components()->eigenvalues); }, kOwned)
      .def_prop_ro(
          "eigenvectors", [](E& self) { return to_numpy(transposed(self.components()->eigenvectors)); },
          kOwned)
      .def_prop_ro("rows_seen", &E::rows_seen)
      .def_prop_ro("kept_rows", array(&E::kept_rows), kOwned)
      .def_prop_ro("kept_numbers", array(&E::kept_numbers), kOwned)
      .def_prop_ro("representation_error", &E::representation_error);
}

void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const KernelError& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  }
}

}  // namespace

void bind_kernel_pca(nb::module_& module) {
  nb::register_exception_translator(translate);
  bind<float>(module, "KernelEstimatorF32");
  bind<double>(module, "KernelEstimatorF64");
}

}  // namespace roipca::python
