#include "refinement_binding.hpp"

#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "csr.hpp"
#include "estimator.hpp"
#include "fork_gate.hpp"
#include "roipca/roipca.hpp"

namespace roipca::python {
namespace {

// Returns work(), called without the GIL; no fork can happen meanwhile.
template <typename F>
auto outside(F&& work) {
  return without_gil([&] {
    const Inside inside;
    return work();
  });
}

// Errors count rows from `first_row`.
template <typename T, typename AnyRows>
void add(Refinement<T>& refinement, const AnyRows& rows, const Weights& weights, Index first_row) {
  outside([&] {
    try {
      refinement.add(rows, weights, check_signals);
    } catch (const DataError& error) {
      throw error.after(first_row);
    }
  });
}

template <typename T>
void add_dense(Refinement<T>& refinement, const Array<T>& rows, const std::optional<Array<double>>& weights,
               Index first_row) {
  add(refinement, rows_of(rows), weights_of(weights), first_row);
}

template <typename T, typename I>
void add_csr(Refinement<T>& refinement, const Array<T>& data, const Array<I>& indices, const Array<I>& starts,
             Index columns, const std::optional<Array<double>>& weights, Index first_row) {
  add(refinement, sparse_rows(data, indices, starts, columns), weights_of(weights), first_row);
}

// Not thread-safe.
template <typename T>
void bind(nb::module_& module, const char* name) {
  using R = Refinement<T>;
  nb::class_<R> refinement(module, name);
  refinement
      .def(
          "__init__", [](R* self, const Model<T>& model) { outside([&] { new (self) R(model); }); },
          nb::arg("model"))
      .def("add", &add_dense<T>, nb::arg("rows").noconvert(), nb::arg("weights").none(),
           nb::arg("first_row") = 0)
      .def(
          "merge", [](R& self, const R& other) { outside([&] { self.merge(other); }); }, nb::arg("other"))
      .def("finish", [](const R& self) { return outside([&] { return self.finish(); }); })
      .def("state", [](const R& self) { return to_python(outside([&] { return self.state(); })); })
      .def_static(
          "from_state",
          [](const Model<T>& model, const nb::bytes& state) {
            return outside([&] { return R::from_state(model, bytes_of(state)); });
          },
          nb::arg("model"), nb::arg("state"));
  const auto def_csr = [&](auto index) {
    using I = decltype(index);
    refinement.def("add_csr", &add_csr<T, I>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
                   nb::arg("indptr").noconvert(), nb::arg("columns"), nb::arg("weights").none(),
                   nb::arg("first_row") = 0);
  };
  def_csr(std::int32_t{});
  def_csr(std::int64_t{});
}

}  // namespace

void bind_refinements(nb::module_& module) {
  bind<float>(module, "RefinementF32");
  bind<double>(module, "RefinementF64");
}

}  // namespace roipca::python
