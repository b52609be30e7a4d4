/// The C++ library as the module roipca._core: estimators and models of both precisions, and nothing that C++
/// does not have. online_pca.py makes scikit-learn's interface of it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "options.hpp"
#include "roipca/roipca.hpp"

namespace nb = nanobind;

namespace roipca::python {
namespace {

template <typename T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <typename T>
Eigen::Map<const RowMatrix<T>> rows_of(const Array<T>& array) {
  if (array.ndim() != 2) {
    throw std::invalid_argument("expected rows in an array of 2 dimensions, not " +
                                std::to_string(array.ndim()));
  }
  return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))};
}

template <typename T>
Eigen::Map<const Vector<T>> vector_of(const Array<T>& array) {
  if (array.ndim() != 1) {
    throw std::invalid_argument("expected an array of 1 dimension, not " + std::to_string(array.ndim()));
  }
  return {array.data(), static_cast<Index>(array.shape(0))};
}

Eigen::Map<const Eigen::VectorXd> weights_of(const std::optional<Array<double>>& weights) {
  if (!weights) return {nullptr, 0};
  return vector_of(*weights);
}

// NumPy takes the matrix over, without a copy.
template <typename M>
auto to_numpy(M&& matrix) {
  using Owned = std::remove_cvref_t<M>;
  using T = typename Owned::Scalar;
  constexpr int kDimensions = Owned::ColsAtCompileTime == 1 ? 1 : 2;
  auto* kept = new Owned(std::forward<M>(matrix));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Owned*>(p); });
  const std::size_t shape[2] = {static_cast<std::size_t>(kept->rows()),
                                static_cast<std::size_t>(kept->cols())};
  return nb::ndarray<nb::numpy, T, nb::ndim<kDimensions>>(kept->data(), kDimensions, shape, owner);
}

/// An estimator that Python threads may share: each call works alone, with the interpreter free for others.
template <typename T>
class Estimator {
 public:
  explicit Estimator(const nb::dict& parameters) : pca_(options_from(parameters)) {}
  explicit Estimator(const Model<T>& model) : pca_(model) {}

  void fit(const Array<T>& rows, const std::optional<Array<double>>& weights) {
    const auto x = rows_of(rows);
    const auto w = weights_of(weights);
    change([&] { pca_.fit(x, w); });
  }
  void partial_fit(const Array<T>& rows, const std::optional<Array<double>>& weights) {
    const auto x = rows_of(rows);
    const auto w = weights_of(weights);
    change([&] { pca_.partial_fit(x, w); });
  }
  void update(const Array<T>& row) {
    const auto x = vector_of(row);
    change([&] { pca_.update(x); });
  }
  /// The model of all rows so far; the same object until the next rows.
  std::shared_ptr<Model<T>> model() {
    return alone([&] {
      if (!snapshot_) snapshot_ = std::make_shared<Model<T>>(pca_.model());
      return snapshot_;
    });
  }
  Index features() const {
    return alone([&] { return pca_.features(); });
  }
  std::int64_t rows_seen() const {
    return alone([&] { return pca_.rows_seen(); });
  }

 private:
  template <typename F>
  auto alone(F&& work) const {
    const nb::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return work();
  }

  template <typename F>
  void change(F&& work) {
    alone([&] {
      work();
      snapshot_.reset();
    });
  }

  OnlinePca<T> pca_;
  std::shared_ptr<Model<T>> snapshot_;
  mutable std::mutex mutex_;
};

template <typename F>
auto without_gil(F&& work) {
  const nb::gil_scoped_release release;
  return work();
}

template <typename T>
void bind_estimator(nb::module_& module, const char* name) {
  using E = Estimator<T>;
  nb::class_<E>(module, name)
      .def(nb::init<const nb::dict&>())
      .def(nb::init<const Model<T>&>())
      .def("fit", &E::fit, nb::arg().noconvert(), nb::arg().none())
      .def("partial_fit", &E::partial_fit, nb::arg().noconvert(), nb::arg().none())
      .def("update", &E::update, nb::arg().noconvert())
      .def("model", &E::model)
      .def_prop_ro("features", &E::features)
      .def_prop_ro("rows_seen", &E::rows_seen);
}

template <typename T>
void bind_model(nb::module_& module, const char* name) {
  using M = Model<T>;
  using RowsFunction = Vector<double> (M::*)(const Rows<T>&) const;
  using ScoresFunction = RowMatrix<T> (M::*)(const Rows<T>&) const;
  const auto of_rows = [](auto function) {
    return [function](const M& model, const Array<T>& rows) {
      const auto x = rows_of(rows);
      return to_numpy(without_gil([&] { return (model.*function)(x); }));
    };
  };
  const auto of_model = [](auto function) {
    return [function](const M& model) { return to_numpy((model.*function)()); };
  };
  constexpr auto kOwned = nb::rv_policy::reference;  // the array keeps its numbers alive by itself
  nb::class_<M>(module, name)
      .def_prop_ro("parameters", [](const M& model) { return parameters_of(model.options); })
      .def_ro("n_components", &M::n_components)
      .def_ro("rows", &M::rows)
      .def_prop_ro("features", &M::features)
      .def_prop_ro("components", of_model(&M::components), kOwned)
      .def_prop_ro("explained_variance", of_model(&M::explained_variance), kOwned)
      .def_prop_ro("explained_variance_ratio", of_model(&M::explained_variance_ratio), kOwned)
      .def_prop_ro("singular_values", of_model(&M::singular_values), kOwned)
      .def_prop_ro("feature_variance", of_model(&M::feature_variance), kOwned)
      .def_prop_ro(
          "mean", [](const M& model) { return to_numpy(Vector<double>(model.mean)); }, kOwned)
      .def_prop_ro("noise_variance", &M::noise_variance)
      .def("transform", of_rows(ScoresFunction(&M::transform)), nb::arg().noconvert())
      .def("inverse_transform", of_rows(ScoresFunction(&M::inverse_transform)), nb::arg().noconvert())
      .def("log_likelihood", of_rows(RowsFunction(&M::log_likelihood)), nb::arg().noconvert())
      .def("t2", of_rows(RowsFunction(&M::t2)), nb::arg().noconvert())
      .def("spe", of_rows(RowsFunction(&M::spe)), nb::arg().noconvert())
      .def("merge", [](const M& a, const M& b) { return without_gil([&] { return merge(a, b); }); })
      .def("save",
           [](const M& model, const std::filesystem::path& path) { without_gil([&] { save(model, path); }); })
      .def_static("load", [](const std::filesystem::path& path) {
        return without_gil([&] { return load<T>(path); });
      });
}

// Beside std::invalid_argument, which nanobind makes a ValueError by itself.
void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const DataError& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const FileError& e) {
    PyErr_SetString(PyExc_OSError, e.what());
  }
}

}  // namespace
}  // namespace roipca::python

NB_MODULE(_core, module) {
  module.attr("__version__") = std::string(roipca::version());
  module.def("instruction_set", [] { return std::string(roipca::instruction_set()); });
  nb::register_exception_translator(roipca::python::translate);
  roipca::python::bind_model<float>(module, "ModelF32");
  roipca::python::bind_model<double>(module, "ModelF64");
  roipca::python::bind_estimator<float>(module, "EstimatorF32");
  roipca::python::bind_estimator<double>(module, "EstimatorF64");
}
