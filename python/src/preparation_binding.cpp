#include "preparation_binding.hpp"

#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "csr.hpp"
#include "roipca/preparation.hpp"

namespace roipca::python {
namespace {

PreparationSteps steps_of(std::optional<double> target_sum, bool log1p,
                          const std::optional<Array<double>>& weights,
                          const std::optional<Array<bool>>& mask) {
  PreparationSteps steps;
  steps.target_sum = target_sum;
  steps.log1p = log1p;
  if (weights) {
    const auto numbers = vector_of(*weights);
    steps.feature_weights.assign(numbers.begin(), numbers.end());
  }
  if (mask) {
    const auto flags = vector_of(*mask);
    steps.feature_mask.assign(flags.begin(), flags.end());
  }
  return steps;
}

// Returns data, indices and indptr of the rows.
template <typename T, typename I>
nb::tuple apply_csr(const Preparation<T>& preparation, const Array<T>& data, const Array<I>& indices,
                    const Array<I>& starts, Index columns) {
  const auto rows = sparse_rows(data, indices, starts, columns);
  const auto result = without_gil([&] { return preparation.apply(rows); });
  return nb::make_tuple(to_numpy(std::vector<T>(result.values())),
                        to_numpy(std::vector<std::int64_t>(result.indices())),
                        to_numpy(std::vector<std::int64_t>(result.starts())));
}

template <typename T>
void bind(nb::module_& module, const char* name) {
  using P = Preparation<T>;
  nb::class_<P> preparation(module, name);
  preparation
      .def(
          "__init__",
          [](P* self, Index features, std::optional<double> target_sum, bool log1p,
             const std::optional<Array<double>>& weights, const std::optional<Array<bool>>& mask) {
            new (self) P(steps_of(target_sum, log1p, weights, mask), features);
          },
          nb::arg("features"), nb::arg("target_sum").none(), nb::arg("log1p"), nb::arg("weights").none(),
          nb::arg("mask").none())
      .def(
          "apply",
          [](const P& self, const Array<T>& rows) {
            const auto x = rows_of(rows);
            return to_numpy(without_gil([&] { return self.apply(x); }));
          },
          nb::arg("rows").noconvert())
      .def_prop_ro("features_out", &P::features_out);
  const auto def_csr = [&](auto index) {
    preparation.def("apply_csr", &apply_csr<T, decltype(index)>, nb::arg("data").noconvert(),
                    nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("columns"));
  };
  def_csr(std::int32_t{});
  def_csr(std::int64_t{});
}

}  // namespace

void bind_preparation(nb::module_& module) {
  bind<float>(module, "PreparationF32");
  bind<double>(module, "PreparationF64");
}

}  // namespace roipca::python
